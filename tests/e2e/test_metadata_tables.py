# SPDX-License-Identifier: Apache-2.0
"""What engines show of snapshots, manifests and files, after merges and after snapshots have left."""

import collections

import pyarrow
import pytest
from pyiceberg.catalog import load_catalog

from comparing import assert_metadata_agrees
from harness.orders import order
from harness.waiting import wait_for

LISTED = 6


@pytest.fixture
def merged(make_topic, make_frazil):
    """Loaded after each of many small productions, until merges are listed and snapshots have left."""
    topic = make_topic(partitions=2)
    frazil = make_frazil(topic, extra=["--history-snapshots", str(LISTED)])
    shown = {}

    def grow():
        produced = sum(shown.values()) and max(shown.values())
        topic.produce_orders(range(produced, produced + 10))
        metadata = frazil.loaded(topic.name)["metadata"]
        shown[metadata["current-snapshot-id"]] = produced + 10
        listed = metadata["snapshots"]
        return len(shown) > 20 and any(one["summary"]["operation"] == "replace" for one in listed)
    wait_for(grow, "a merge is listed", 60)
    return topic, frazil, shown


def test_metadata_tables_of_pyiceberg(merged):
    topic, frazil, shown = merged
    total = max(shown.values())
    metadata = frazil.loaded(topic.name)["metadata"]
    table = load_catalog("frazil", type="rest", uri=frazil.url).load_table(f"speed.{topic.name}")
    snapshots = table.inspect.snapshots().to_pylist()
    assert len(snapshots) <= LISTED < len(shown)
    assert {one["operation"] for one in snapshots} == {"append", "replace"}
    assert [one["snapshot_id"] for one in snapshots] == [one["snapshot-id"] for one in metadata["snapshots"]]
    for one in snapshots:
        count = table.scan(snapshot_id=one["snapshot_id"]).count()
        assert dict(one["summary"])["total-records"] == str(count)
        # A load that lists a merge shows its second snapshot, an append.
        assert count == shown.get(one["snapshot_id"], count)
    history = table.inspect.history().to_pylist()
    assert [one["snapshot_id"] for one in history] == [one["snapshot_id"] for one in snapshots]

    files = table.inspect.files().to_pylist()
    assert sum(one["record_count"] for one in files) == total
    assert len({one["file_path"] for one in files}) == len(files) < len(shown)
    entries = table.inspect.entries().to_pylist()
    assert {one["data_file"]["file_path"] for one in entries if one["status"] != 2} == {
        one["file_path"] for one in files}
    manifests = table.inspect.manifests().to_pylist()
    live = sum(one["added_data_files_count"] + one["existing_data_files_count"] for one in manifests)
    assert live == len(files)
    partitions = table.inspect.partitions().to_pylist()
    assert sum(one["record_count"] for one in partitions) == total
    assert sum(one["file_count"] for one in partitions) == len(files)


def test_metadata_tables_of_duckdb(merged, duckdb_of):
    topic, frazil, shown = merged
    duck = duckdb_of(frazil)
    name = f"frazil.speed.{topic.name}"
    metadata = frazil.loaded(topic.name)["metadata"]
    assert duck.tuples(f"SELECT snapshot_id FROM iceberg_snapshots({name}) ORDER BY sequence_number") == [
        (one["snapshot-id"],) for one in metadata["snapshots"]]
    total, files = duck.tuples(f"SELECT sum(record_count), count(DISTINCT file_path) "
                               f"FROM iceberg_metadata({name}) WHERE status <> 'DELETED'")[0]
    assert total == max(shown.values()) and 0 < files < len(shown)
    per_partition = collections.Counter(order(number)["id"] % 2 for number in range(total))
    assert dict(duck.tuples(f"SELECT kafka_partition, count(*) FROM {name} GROUP BY 1")) == per_partition


def test_merged_tables_count_what_they_hold(merged):
    topic, frazil, _ = merged
    assert_metadata_agrees(frazil, topic.name)
    oldest = frazil.loaded(topic.name)["metadata"]["snapshots"][0]["snapshot-id"]
    assert_metadata_agrees(frazil, topic.name, oldest)


def test_metadata_tables_of_an_empty_topic(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    frazil = make_frazil(topic)
    table = load_catalog("frazil", type="rest", uri=frazil.url).load_table(f"speed.{topic.name}")
    assert table.scan().count() == 0
    assert table.inspect.manifests().num_rows == 0
    # PyIceberg's own: it joins the files of no manifests (docs/guide/pyiceberg.md).
    with pytest.raises(pyarrow.ArrowInvalid):
        table.inspect.files()
    assert duckdb_of(frazil).tuples(f"SELECT * FROM iceberg_metadata(frazil.speed.{topic.name})") == []
    assert_metadata_agrees(frazil, topic.name)
