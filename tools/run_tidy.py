#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy and clang's thread-safety analysis over what changed.

usage: tools/run_tidy.py [--all] [--seconds N] [FILE ...]

Changed means: since the merge base with origin/main, or, on main itself, since the commit before;
uncommitted changes count. A changed header brings the sources of its module that include it. With
no commit to compare with, or with --all, every source is looked at. Sources that N seconds did not
reach are named at the end and are no failure.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-tidy"


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def base_commit():
    head = git("rev-parse", "HEAD")
    base = git("merge-base", "origin/main", "HEAD")
    if base and base != head:
        return base
    return git("rev-parse", "--verify", "-q", "HEAD~1")


def changed_files(base):
    listed = git("diff", "--name-only", "--diff-filter=d", base) or ""
    untracked = git("ls-files", "--others", "--exclude-standard") or ""
    return set(listed.splitlines()) | set(untracked.splitlines())


def including(header, sources):
    """Sources of the header's own module that include it."""
    module = pathlib.PurePosixPath(header).parent
    name = re.escape(header.removeprefix("src/"))
    return [source for source in sources
            if source.startswith(f"{module}/")
            and re.search(rf'#include "{name}"', (ROOT / source).read_text(errors="replace"))]


def select(options, sources):
    if options.files:
        return [file for file in options.files if file in sources]
    base = None if options.all else base_commit()
    if base is None:
        return sources
    changed = changed_files(base)
    if ".clang-tidy" in changed:
        return sources
    first = [source for source in sources if source in changed]
    for header in sorted(file for file in changed if re.fullmatch(r"src/.*\.h", file)):
        first += [source for source in including(header, sources) if source not in first]
    return first


def tidy(source):
    command = ["clang-tidy-19", "-p", str(BUILD), "--quiet",
               "--checks=clang-diagnostic-thread-safety*", source]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return source, done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    subprocess.run(["cmake", "--preset", "tidy"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    known = {str(pathlib.Path(command["file"]).relative_to(ROOT)) for command in commands}
    sources = sorted(source for source in known if not source.endswith(".gen.cc"))
    chosen = select(options, sources)

    deadline = time.monotonic() + options.seconds
    left_out, bad = [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def look(source):
            return tidy(source) if time.monotonic() < deadline else (source, None, "")
        for source, status, output in pool.map(look, chosen):
            if status is None:
                left_out.append(source)
            elif status != 0:
                bad += 1
                print(output.strip() or f"{source}: clang-tidy ended with status {status}")
    print(f"{len(chosen) - len(left_out)} of {len(sources)} sources looked at, {bad} with findings")
    if left_out:
        print(f"not reached in {options.seconds:.0f} s: {' '.join(left_out)}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
