# SPDX-License-Identifier: Apache-2.0
"""The inner loops alone, in memory: CPU nanoseconds a record, and a value where values nest."""

from figures import Figure
from scene import median, run_program

NESTED_BAR = 2


def measure(options, _folder):
    steps = run_program("codecs", repetitions=max(5, options.repetitions))
    figures = [Figure(name, min(step["nanoseconds"]), "ns/record", median(step["nanoseconds"]))
               for name, step in steps.items()]
    for kind in ("decode", "parquet"):
        flat, nested = steps[f"{kind}_flat"], steps[f"{kind}_nested"]
        # Kafka's own columns are in both; a flat record bears them with fewer values.
        def ratio(pick):
            each = [pick(step["nanoseconds"]) / step["leaves"] for step in (nested, flat)]
            return each[0] / each[1]
        figures.append(Figure(f"{kind}: time of a nested value in times of a flat one", ratio(min),
                              "x", ratio(median), NESTED_BAR, at_most=True))
    return figures
