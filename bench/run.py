#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs benchmarks and holds what they find to the bars.

usage: bench/run.py [--write] [--records N] [--repetitions N] [--rounds N] [--seen N] [--scan N]
                    [--loads N] [NAME ...]

Without names all of them. Everything runs on loopback, on free ports, in a folder that is removed.
A bar that is missed is printed and is no failure: what fails is an answer that is wrong. Results are
kept in build/bench.json; --write makes docs/benchmarks.md of all that are there.
"""

import argparse
import importlib
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import report  # noqa: E402
from figures import cells  # noqa: E402
from scene import BUILD  # noqa: E402

BENCHMARKS = ["loops", "fetch", "freshness", "loads", "scan", "memory"]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--records", type=int, default=2_000_000, help="of each topic that is fetched")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=1_000, help="of freshness")
    parser.add_argument("--seen", type=int, default=10_000_000, help="records before loads are timed")
    parser.add_argument("--scan", type=int, default=3_000_000, help="records that are scanned")
    parser.add_argument("--loads", type=int, default=2_000, help="while memory is watched")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    for name in options.names:
        if name not in BENCHMARKS:
            parser.error(f"there is no {name}; there are {', '.join(BENCHMARKS)}")
    return options


def main():
    options = parse_options()
    results = {}
    where = report.circumstances(" ".join(["bench/run.py", *sys.argv[1:]]))
    print(f"{where['cpu']}; {where['versions']}; commit {where['commit']}", flush=True)
    for name in options.names or BENCHMARKS:
        module = importlib.import_module(name)
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="frazil-bench-") as folder:
            figures = module.measure(options, pathlib.Path(folder))
        summary = module.__doc__.strip()
        title, _, about = summary.partition("\n\n")
        results[name] = {"title": name.capitalize(), "about": (title + " " + about).strip(),
                         "rows": [cells(figure) for figure in figures], "circumstances": where}
        report.print_figures(f"{name}, {time.monotonic() - begin:.0f} s", figures)
        sys.stdout.flush()
        known = report.save({name: results[name]}, BUILD / "bench.json")
    if options.write:
        report.write_page(known, BENCHMARKS)


if __name__ == "__main__":
    main()
