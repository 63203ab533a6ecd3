#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the checks' own tests, so that a check that cannot fail is noticed."""

import subprocess
import sys

from repository import run


def breaches(repository):
    command = [sys.executable, "-m", "unittest", "discover", "-s", "tests/checks"]
    done = subprocess.run(command, cwd=repository.root, capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith(("FAIL:", "ERROR:"))]
        for line in lines or [f"exit status {done.returncode}"]:
            yield f"tests/checks/test_checks.py:1: {line}; run {' '.join(['python3', *command[1:]])}"


if __name__ == "__main__":
    run(breaches)
