#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds generated files to definitions/: what stands in the tree is what the generator would write."""

import subprocess
import sys

from repository import run

GENERATOR = "tools/generate_definitions.py"


def breaches(repository):
    done = subprocess.run([sys.executable, str(repository.root / GENERATOR), "--check"],
                          cwd=repository.root, capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip() or f"exit status {done.returncode}"
        for line in said.splitlines()[-20:]:
            yield f"{GENERATOR}:1: {line}; edit definitions/ and run {GENERATOR}"


if __name__ == "__main__":
    run(breaches)
