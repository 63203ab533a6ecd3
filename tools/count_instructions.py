#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the inner loops to the numbers of instructions in definitions/instruction_counts.toml.

usage: tools/count_instructions.py [--write]

Runs build/bench_instruction_counts under callgrind. A count does not depend on how busy the machine
is. One that is more than 5 % above its number fails; one that is as far below is named, so that the
number is lowered and what was gained is kept. --write puts the measured numbers into the file: say in
the commit why a number rises.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "bench_instruction_counts"
COUNTS = "definitions/instruction_counts.toml"
# Percent.
TOLERANCE = 5
SECONDS = 300
HEADER = """\
# Instructions that the inner loops take, as tools/count_instructions.py counts them: one row for each
# step of bench/steps.h, over `records` records. The suite `instructions` fails above 5 % more.
# `tools/count_instructions.py --write` writes this file.
"""


def parse_dump(text):
    """(step, instructions) of one callgrind dump; None for the one at the program's end."""
    step = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.MULTILINE)
    total = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
    return (step[1], int(total[1])) if step and total else None


def measure(program):
    """{step: {"records": ..., "instructions": ...}}, in the program's order."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no",
                   f"--callgrind-out-file={folder}/dump", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        dumps = [parse_dump(path.read_text(errors="replace"))
                 for path in pathlib.Path(folder).iterdir()]
    counted = dict(dump for dump in dumps if dump)
    return {step["name"]: {"records": step["records"], "instructions": counted[step["name"]]}
            for step in json.loads(done.stdout)}


def read_counts(path):
    rows = tomllib.loads(path.read_text())["count"] if path.exists() else []
    return {row["name"]: row for row in rows}


def compare(expected, measured):
    """(faults, notes), each a list of sentences."""
    faults, notes = [], []
    for name in sorted(expected.keys() - measured.keys()):
        faults.append(f"{COUNTS}:1: {name} was not measured; remove its row with --write")
    for name, found in measured.items():
        row = expected.get(name)
        if row is None or row["records"] != found["records"]:
            faults.append(f"{COUNTS}:1: {name} has no row for {found['records']} records; add it "
                          "with --write")
            continue
        change = 100 * (found["instructions"] - row["instructions"]) / row["instructions"]
        each = found["instructions"] / found["records"]
        told = (f"{name} takes {found['instructions']} instructions ({each:.0f} a record), "
                f"{change:+.1f} %")
        if change > TOLERANCE:
            faults.append(f"{COUNTS}:1: {told}; make it as fast as it was, or raise the number with "
                          "--write and say why")
        elif change < -TOLERANCE:
            notes.append(f"{COUNTS}:1: note: {told}; keep what was gained: lower the number with "
                         "--write")
    return faults, notes


def render(measured):
    rows = [f'\n[[count]]\nname = "{name}"\nrecords = {found["records"]}\n'
            f'instructions = {found["instructions"]}\n' for name, found in measured.items()]
    return HEADER + "".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM)
    options = parser.parse_args()
    measured = measure(options.program)
    path = ROOT / COUNTS
    if options.write:
        path.write_text(render(measured))
        return
    faults, notes = compare(read_counts(path), measured)
    print("\n".join(notes + faults), end="\n" if notes or faults else "")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
