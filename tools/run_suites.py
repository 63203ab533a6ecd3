#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the suites of definitions/suites.toml, with an eye on their time.

usage: tools/run_suites.py [--set NAME] [SUITE ...]

Each suite's output goes to .run/suites/NAME.log and is shown when the suite fails. A suite over its
budget is reported; at three times its budget it is ended and has failed. The last line is
"N passed, N failed": tests where a suite's runner counts them, else the suite itself.
"""

import argparse
import collections
import glob
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / ".run" / "suites"
GRACE = 3
HEARTBEAT_SECONDS = 60
SHOWN_LINES = 150
# Of each failed suite, once more beside the table: who reads only the end sees the cause.
REPEATED_LINES = 30

Outcome = collections.namedtuple("Outcome", "suite seconds passed failed")


def read_suites():
    with open(ROOT / "definitions" / "suites.toml", "rb") as source:
        suites = tomllib.load(source)["suite"]
    for suite in suites:
        missing = {"name", "sets", "budget", "description"} - suite.keys()
        if missing or ("run" in suite) == ("run_each" in suite):
            sys.exit(f"definitions/suites.toml: {suite.get('name', '?')}: needs name, sets, budget, "
                     "description, and one of run and run_each")
    return suites


def commands_of(suite):
    if "run" in suite:
        return [suite["run"]]
    found = sorted(glob.glob(suite["run_each"], root_dir=ROOT))
    if not found:
        sys.exit(f"definitions/suites.toml: {suite['name']}: nothing matches {suite['run_each']}")
    return [f"{suite.get('with', '')} {path}".strip() for path in found]


def end_group(process):
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def run_command(command, log, started, limit, name):
    """The exit status; None when the time was up."""
    log.write(f"$ {command}\n".encode())
    log.flush()
    process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=ROOT,
                               stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        while True:
            left = started + limit - time.monotonic()
            try:
                return process.wait(max(0.0, min(left, HEARTBEAT_SECONDS)))
            except subprocess.TimeoutExpired:
                if time.monotonic() - started >= limit:
                    end_group(process)
                    return None
                print(f"   {name}: {time.monotonic() - started:.0f} s so far", flush=True)
    except BaseException:
        end_group(process)
        raise


def count_tests(text):
    """Passed and failed tests as ctest, pytest and unittest count them; 0 and 0 when none does."""
    passed = failed = 0
    for match in re.finditer(r"tests passed, (\d+) tests failed out of (\d+)", text):
        failed += int(match[1])
        passed += int(match[2]) - int(match[1])
    for line in re.findall(r"^=+ (.*) in [\d.]+s(?: \([\d:]+\))? =+$", text, re.MULTILINE):
        counts = {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (\w+)", line)}
        passed += counts.get("passed", 0)
        failed += counts.get("failed", 0) + counts.get("error", 0)
    for match in re.finditer(r"^Ran (\d+) tests? in .*\n\n(OK|FAILED.*)$", text, re.MULTILINE):
        bad = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", match[2]))
        passed += int(match[1]) - bad
        failed += bad
    return passed, failed


def run_suite(suite):
    name, budget = suite["name"], suite["budget"]
    commands = commands_of(suite)
    print(f"== {name}: {suite['description']}", flush=True)
    path = LOGS / f"{name}.log"
    bad = []
    started = time.monotonic()
    with open(path, "wb") as log:
        for command in commands:
            status = run_command(command, log, started, GRACE * budget, name)
            if status is None:
                bad.append(f"{command}: ended at {GRACE} times the budget of {budget} s")
                break
            if status != 0:
                bad.append(f"{command}: status {status}")
    seconds = time.monotonic() - started
    text = path.read_text(errors="replace")
    passed, failed = count_tests(text)
    if passed + failed == 0:
        failed = len(bad)
        passed = max(0, len(commands) - failed)
    elif bad and failed == 0:
        failed = 1
    if bad:
        print("\n".join(text.splitlines()[-SHOWN_LINES:]))
        print(f"   {name} FAILED after {seconds:.1f} s; whole log: {path.relative_to(ROOT)}")
        for line in bad:
            print(f"   {line}")
    else:
        over = f", OVER its budget of {budget} s" if seconds > budget else f" of {budget} s"
        print(f"   {name} ok, {passed} passed, {seconds:.1f} s{over}", flush=True)
    return Outcome(suite, seconds, passed, failed)


def telling_lines(text):
    """The lines of a failed suite's log that name what failed; its last ones where none does."""
    lines = text.splitlines()
    found = [line for line in lines
             if re.match(r"(FAILED|ERROR|E  |FAIL:|\+\+\++ Timeout|.*\*\*\*(Failed|Timeout))", line)
             or re.search(r"error: |\[  FAILED  \]|File \".*/tests/.*line \d+", line)]
    return [line[:200] for line in (found or lines)[-REPEATED_LINES:]]


def chosen(suites, options):
    names = [suite["name"] for suite in suites]
    for name in options.suites:
        if name not in names:
            sys.exit(f"no suite has this name; there are {', '.join(names)}: {name}")
    if options.suites:
        return [suite for suite in suites if suite["name"] in options.suites]
    found = [suite for suite in suites if options.set in suite["sets"]]
    if not found:
        sys.exit(f"definitions/suites.toml knows no such set: {options.set}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="test")
    parser.add_argument("suites", nargs="*")
    options = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    outcomes = []
    for suite in chosen(read_suites(), options):
        outcomes.append(run_suite(suite))
        if outcomes[-1].failed and suite.get("required"):
            print("   nothing after it can run")
            break
    print("\nsuite                 seconds  budget  passed  failed")
    for outcome in outcomes:
        mark = "  over" if outcome.seconds > outcome.suite["budget"] else ""
        print(f"{outcome.suite['name']:20} {outcome.seconds:8.1f} {outcome.suite['budget']:7} "
              f"{outcome.passed:7} {outcome.failed:7}{mark}")
    print(f"{'all':20} {sum(outcome.seconds for outcome in outcomes):8.1f}\n")
    for outcome in outcomes:
        if outcome.failed:
            name = outcome.suite["name"]
            text = (LOGS / f"{name}.log").read_text(errors="replace")
            print("\n".join([f"-- {name} failed:", *telling_lines(text), ""]))
    failed = sum(outcome.failed for outcome in outcomes)
    print(f"{sum(outcome.passed for outcome in outcomes)} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
