# SPDX-License-Identifier: Apache-2.0
"""Rows of an engine against the oracle's, in full and readable when they differ."""

import datetime
import math
import uuid

from pyiceberg.catalog import load_catalog
from pyiceberg.conversions import from_bytes
from pyiceberg.types import ListType, MapType, StructType
from pyiceberg.utils.datetime import date_to_days, datetime_to_micros

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
        values = [value.bytes for value in values]
        low, high = (getattr(one, "bytes", one) for one in (low, high))
    elif isinstance(values[0], datetime.datetime):
        values = [datetime_to_micros(value) for value in values]
    elif isinstance(values[0], datetime.date):
        values = [date_to_days(value) for value in values]
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
    scan = table.scan(snapshot_id=snapshot)
    schema = scan.projection()
    # Not inspect.files(), which PyIceberg 0.12 cannot fill for a table with a uuid.
    files = [task.file for task in scan.plan_files()]
    assert sum(file.record_count for file in files) == len(rows)
    bounded = set()
    for path in _leaves(schema.as_struct()):
        field = schema.find_field(".".join(path))
        key = field.field_id
        with_values = [file for file in files
                       if file.value_counts.get(key) != file.null_value_counts.get(key)]
        bounds = [(file.lower_bounds[key], file.upper_bounds[key]) for file in with_values
                  if key in file.lower_bounds and key in file.upper_bounds]
        if not bounds or len(bounds) < len(with_values):
            continue
        lows, highs = ([from_bytes(field.field_type, one) for one in side] for side in zip(*bounds))
        _assert_bounds(".".join(path), min(lows), max(highs), _known(_at(row, path) for row in rows))
        bounded.add(".".join(path))
    assert bounded >= {"kafka_partition", "kafka_offset"}
