# SPDX-License-Identifier: Apache-2.0
"""PyIceberg reads the same rows, and what the metadata says of each file is true."""

import decimal
import hashlib
import io
import math
import subprocess
import sys

import polars
import pyarrow.parquet
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.expressions import And, EqualTo, GreaterThanOrEqual, IsNull, LessThan

from comparing import assert_same_rows
from conftest import ORDER_FIELDS
from harness.services import ROOT
from harness.warehouse import Warehouse, split


@pytest.fixture
def loaded(make_topic, make_frazil, services):
    """A topic in several snapshots and files, as a PyIceberg table, and the oracle's rows."""
    topic = make_topic()
    frazil = make_frazil(topic)
    topic.produce_orders(range(700))
    frazil.loaded(topic.name)
    topic.produce_orders(range(700, 1000))
    topic.send(None, key=b"tombstone", partition=2)
    topic.flush()
    table = load_catalog("frazil", type="rest", uri=frazil.url).load_table(f"speed.{topic.name}")
    return frazil, table, services.oracle.rows(topic.name, ORDER_FIELDS)


def python_rows(table):
    rows = table.to_pylist()
    for row in rows:
        row["kafka_headers"] = [dict(header) for header in row["kafka_headers"]]
    return rows


def test_scan_gives_the_same_rows(loaded):
    _, table, expected = loaded
    assert_same_rows(python_rows(table.scan().to_arrow()), expected)
    assert table.scan().count() == len(expected)


@pytest.mark.parametrize("name", ["equal", "range", "null", "decimal", "coordinates"])
def test_filters(loaded, name):
    _, table, expected = loaded
    expression, predicate = {
        "equal": (EqualTo("status", "PAID"), lambda row: row["status"] == "PAID"),
        "range": (And(GreaterThanOrEqual("id", 650), LessThan("id", 750)),
                  lambda row: row["id"] is not None and 650 <= row["id"] < 750),
        "null": (IsNull("note"), lambda row: row["note"] is None),
        "decimal": (LessThan("amount", decimal.Decimal("-50000.00")),
                    lambda row: row["amount"] is not None and row["amount"] < -50000),
        "coordinates": (And(EqualTo("kafka_partition", 1), GreaterThanOrEqual("kafka_offset", 230)),
                        lambda row: row["kafka_partition"] == 1 and row["kafka_offset"] >= 230),
    }[name]
    scan = table.scan(row_filter=expression)
    wanted = [row for row in expected if predicate(row)]
    assert wanted
    assert_same_rows(python_rows(scan.to_arrow()), wanted)
    assert scan.count() == len(wanted)


def test_snapshots_and_time_travel(loaded):
    _, table, expected = loaded
    snapshots = table.inspect.snapshots().to_pylist()
    assert all(snapshot["operation"] in ("append", "replace") for snapshot in snapshots)
    counts = [table.scan(snapshot_id=snapshot["snapshot_id"]).count() for snapshot in snapshots]
    assert counts == sorted(counts)
    assert 700 in counts and counts[-1] == len(expected)
    assert table.current_snapshot().summary["total-records"] == str(len(expected))


def test_counts_and_bounds_of_every_file_are_true(loaded):
    frazil, table, expected = loaded
    warehouse = Warehouse(frazil.loaded(table.name()[-1]))
    total = 0
    for file in table.inspect.files().to_pylist():
        content = warehouse.read(file["file_path"])
        assert len(content) == file["file_size_in_bytes"]
        rows = pyarrow.parquet.read_table(io.BytesIO(content))
        assert rows.num_rows == file["record_count"] > 0
        total += rows.num_rows
        bounded = 0
        for name, metrics in file["readable_metrics"].items():
            if name == "kafka_headers" or name.startswith("kafka_headers."):
                continue
            values = rows[name].to_pylist()
            present = [value for value in values if value is not None
                       and not (isinstance(value, float) and math.isnan(value))]
            assert metrics["value_count"] == len(values), name
            assert metrics["null_value_count"] == values.count(None), name
            check_bounds(name, metrics, present)
            bounded += metrics["lower_bound"] is not None
        assert bounded >= 8
    assert total == len(expected)


def check_bounds(name, metrics, values):
    low, high = metrics["lower_bound"], metrics["upper_bound"]
    if not values:
        assert low is None and high is None, name
        return
    if isinstance(values[0], (str, bytes)):
        # May be cut: a bound then, not a value.
        assert low is None or low <= min(values), name
        assert high is None or high >= max(values), name
        return
    if low is not None:
        assert low == min(values), name
    if high is not None:
        assert high == max(values), name
    if name in ("kafka_partition", "kafka_offset", "kafka_timestamp", "id"):
        assert low is not None and high is not None, name


def test_polars_reads_through_pyiceberg(loaded):
    _, table, expected = loaded
    frame = polars.scan_iceberg(table, reader_override="pyiceberg").select("id", "status").collect()
    wanted = sorted((row["id"], row["status"]) for row in expected if row["id"] is not None)
    assert sorted(frame.drop_nulls("id").rows()) == wanted


def test_other_s3_clients_read_the_same_bytes(loaded):
    frazil, table, _ = loaded
    loaded_table = frazil.loaded(table.name()[-1])
    config = loaded_table["storage-credentials"][0]["config"]
    location = table.inspect.files()["file_path"][0].as_py()
    content = Warehouse(loaded_table).read(location)
    script = ROOT / "tests" / "interop" / "s3_interop.py"
    done = subprocess.run(
        [sys.executable, str(script), frazil.s3_url, config["s3.access-key-id"],
         config["s3.secret-access-key"], config.get("s3.session-token", ""), *split(location),
         hashlib.sha256(content).hexdigest()], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
