#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many clients read large files at once from a server with little memory.

usage: .deps/venv/bin/python tests/torture/memory.py [--bytes N] [--chunk N] [--limit N]
                                                     [--readers N] [--stalled N]

A topic larger than the server's memory-limit is loaded, then every reader reads files whole, others
begin to and stop reading. Checked: the server's peak memory (VmHWM) stays below the limit and
256 MiB; every read ends with the right bytes (those of every other read, and every record of the
topic exactly once); health and metrics are answered at once; the process lives.
"""

import argparse
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from harness.frazil import Frazil  # noqa: E402
from harness.large_reads import MIB, PARTITIONS, SCHEMA, measure, produce  # noqa: E402
from harness.services import Kafka, Registry  # noqa: E402
from harness.topics import Topic  # noqa: E402

TOPIC = "large"
DEFAULT_LIMIT = 1 << 30
QUICK_SECONDS = 2.0


def report(state, limit):
    reads = state.counts["reads"]
    rate = state.counts["bytes"] / MIB / max(state.reading, 0.001)
    print(f"{len(state.files)} files of at most {max(file.size for file in state.files) // MIB} MiB; "
          f"loaded in {state.loading:.1f} s, {reads} reads in {state.reading:.1f} s ({rate:.0f} "
          f"MiB/s), told to slow down {state.counts['told to slow down']} times; slowest probe "
          f"{state.slowest:.2f} s; peak memory {state.after_load // MIB} MiB after the load, "
          f"{state.peak // MIB} MiB at the end, limit {limit // MIB} MiB", flush=True)


def run(options, folder):
    """The faults, after a line that says what was measured."""
    kafka, registry = Kafka(folder / "kafka"), Registry(folder / "registry")
    frazil = None
    try:
        kafka.start()
        registry.start()
        topic = Topic(kafka.address, registry, TOPIC, schema=SCHEMA, partitions=PARTITIONS)
        count = produce(topic, options.bytes)
        limit = ["--memory-limit", str(options.limit)] if options.limit != DEFAULT_LIMIT else []
        frazil = Frazil(kafka.address, registry.url, [TOPIC], folder / "data", extra=[
            "--chunk-bytes", str(options.chunk), "--load-timeout", "10min", *limit]).start()
        state = measure(frazil, TOPIC, count, options.limit, options.readers, options.stalled)
        if state.slowest > QUICK_SECONDS:
            state.fault(f"a probe took {state.slowest:.1f} s")
        report(state, options.limit)
        if state.faults:
            print(f"the end of frazil's log:\n{frazil.tail()}")
        return state.faults
    finally:
        if frazil:
            frazil.kill()
        kafka.wipe()
        registry.wipe()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=3 << 30)
    parser.add_argument("--chunk", type=int, default=80 * MIB)
    parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT)
    parser.add_argument("--readers", type=int, default=64)
    parser.add_argument("--stalled", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = run(options, pathlib.Path(folder))
    for fault in faults[:20]:
        print(f"FAULT: {fault}")
    print("memory FAILED" if faults else "memory passed")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
