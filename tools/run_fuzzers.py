#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs every fuzzer from its committed corpus.

usage: tools/run_fuzzers.py [--seconds N] [--jobs N] [NAME ...]

What a run finds lies below .run/fuzz/NAME: corpus/ (inputs with new coverage, kept for the next
run) and crash-*. To look at a crash again: build-fuzz/NAME FILE.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-fuzz"


def fuzz(name, corpus, seconds):
    folder = ROOT / ".run" / "fuzz" / name
    grown = folder / "corpus"
    grown.mkdir(parents=True, exist_ok=True)
    command = [str(BUILD / name), str(grown), corpus, f"-max_total_time={seconds}", "-timeout=10",
               "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={folder}/"]
    with open(folder / "log", "wb") as log:
        status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                                stderr=subprocess.STDOUT).returncode
    return status, (folder / "log").read_text(errors="replace").splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    fuzzers = dict(line.split("=", 1) for line in (BUILD / "fuzzers.txt").read_text().split())
    for name in options.names:
        if name not in fuzzers:
            sys.exit(f"no fuzzer has this name; there are {', '.join(sorted(fuzzers))}: {name}")
    names = options.names or sorted(fuzzers)
    subprocess.run(["cmake", "--build", str(BUILD), "--target", *names], check=True)

    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = pool.map(lambda name: (name, fuzz(name, fuzzers[name], options.seconds)), names)
        for name, (status, lines) in runs:
            executed = next((line.split()[-1] for line in lines
                             if line.startswith("stat::number_of_executed_units")), "?")
            if status == 0:
                passed += 1
                print(f"{name}: {executed} inputs, nothing found", flush=True)
            else:
                failed += 1
                print("\n".join(lines[-60:]))
                print(f"{name}: FAILED; the input is below .run/fuzz/{name}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
