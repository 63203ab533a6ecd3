#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds C++ sources, generated ones too, to .clang-format with clang-format 19."""

import re
import shutil
import subprocess

from repository import run

TOOL = "clang-format-19"
# Files in one call.
BATCH = 50


def breaches(repository):
    paths = repository.select(r"(src|tests|bench|testkit)/.+\.(h|cc)")
    if paths and shutil.which(TOOL) is None:
        yield f".clang-format:1: {TOOL} is not installed; run scripts/install_dependencies.sh"
        return
    for start in range(0, len(paths), BATCH):
        command = [TOOL, "--dry-run", "-Werror", "--ferror-limit=0", *paths[start:start + BATCH]]
        done = subprocess.run(command, cwd=repository.root, capture_output=True, text=True)
        seen = set()
        for path, line in re.findall(r"^(\S+?):(\d+):\d+: error:", done.stderr, re.MULTILINE):
            if path not in seen:
                seen.add(path)
                yield f"{path}:{line}: not formatted; run {TOOL} -i {path}"
        if done.returncode != 0 and not seen:
            yield f".clang-format:1: {TOOL} failed: {done.stderr.strip()[:300]}"


if __name__ == "__main__":
    run(breaches)
