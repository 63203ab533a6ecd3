# SPDX-License-Identifier: Apache-2.0
"""Rows of an engine against the oracle's, in full and readable when they differ."""

import math

FIELDS_LAST = ["kafka_generation", "kafka_partition", "kafka_offset", "kafka_timestamp", "kafka_key",
               "kafka_headers"]


def position(row):
    return row["kafka_partition"], row["kafka_offset"]


def same_value(left, right):
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return type(left) is type(right) and left == right


def assert_same_rows(found, expected):
    """Every column of every row; the order in which an engine returns them does not matter."""
    found = sorted(found, key=position)
    expected = sorted(expected, key=position)
    missing = {position(row) for row in expected} - {position(row) for row in found}
    extra = {position(row) for row in found} - {position(row) for row in expected}
    assert not missing and not extra, f"missing {sorted(missing)[:10]}, extra {sorted(extra)[:10]}"
    assert len(found) == len(expected), "some rows are there twice"
    for row, wanted in zip(found, expected):
        assert list(row) == list(wanted), "columns differ"
        for name in wanted:
            assert same_value(row[name], wanted[name]), (
                f"{name} at {position(wanted)}: {row[name]!r}, not {wanted[name]!r}")
