# SPDX-License-Identifier: Apache-2.0
"""Rows of an engine against the oracle's, in full and readable when they differ."""

import math
import uuid

from pyiceberg.catalog import load_catalog
from pyiceberg.types import ListType, MapType, StructType

from harness.duckdb_client import DuckDb

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


def _leaves(struct, path=()):
    """Paths of the columns that stand in no list or map."""
    for field in struct.fields:
        if isinstance(field.field_type, StructType):
            yield from _leaves(field.field_type, (*path, field.name))
        elif not isinstance(field.field_type, (ListType, MapType)):
            yield (*path, field.name)


def _at(row, path):
    for name in path:
        row = row and row[name]
    return row


def _known(values):
    return [value for value in values if value is not None
            and not (isinstance(value, float) and math.isnan(value))]


def _assert_bounds(name, low, high, values):
    if isinstance(values[0], (str, bytes)):
        # Text and bytes may be cut: a bound then, no value.
        assert low <= min(values) and high >= max(values), name
        return
    if isinstance(values[0], uuid.UUID):
        low, high = (one if isinstance(one, uuid.UUID) else uuid.UUID(bytes=one) for one in (low, high))
    assert (low, high) == (min(values), max(values)), name


def assert_metadata_agrees(server, name, snapshot=None):
    """What counts and bounds say without reading is what reading finds, at one snapshot or now.
    `server` is anything with the catalog's `url`."""
    table = load_catalog("frazil", type="rest", uri=server.url).load_table(("speed", name))
    at = f" AT (VERSION => {snapshot})" if snapshot else ""
    with DuckDb(server.url) as duck:
        source = f'frazil.speed."{name}"{at}'
        counted, read = duck.tuples(f"SELECT count(*) FROM {source} UNION ALL "
                                    f"SELECT count(kafka_offset) FROM {source}")
        rows = duck.rows(f"SELECT * FROM {source}")
    assert counted == read == (len(rows),)
    assert table.scan(snapshot_id=snapshot).count() == len(rows)
    assert len(table.scan(snapshot_id=snapshot, selected_fields=("kafka_offset",)).to_arrow()) == len(rows)
    if not rows:
        return
    files = table.inspect.files(snapshot_id=snapshot).to_pylist()
    assert sum(file["record_count"] for file in files) == len(rows)
    bounded = set()
    for path in _leaves(table.schema().as_struct()):
        column = ".".join(path)
        metrics = [file["readable_metrics"][column] for file in files]
        lows = [one["lower_bound"] for one in metrics if one["lower_bound"] is not None]
        highs = [one["upper_bound"] for one in metrics if one["upper_bound"] is not None]
        with_values = [one for one in metrics if one["value_count"] != one["null_value_count"]]
        if not lows or len(lows) < len(with_values) or len(highs) < len(with_values):
            continue
        _assert_bounds(column, min(lows), max(highs), _known(_at(row, path) for row in rows))
        bounded.add(column)
    assert bounded >= {"kafka_partition", "kafka_offset"}
