# SPDX-License-Identifier: Apache-2.0
"""What was shown stays: across kill -9, byte for byte."""

import subprocess

from comparing import assert_same_rows
from conftest import ORDER_FIELDS
from harness.warehouse import Warehouse


def test_every_object_survives_kill_9_byte_for_byte(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic()
    frazil = make_frazil(topic)
    counts = {}
    for step in range(8):
        topic.produce_orders(range(step * 200, step * 200 + 200 - step))
        current = frazil.loaded(topic.name)["metadata"]["current-snapshot-id"]
        counts[current] = sum(200 - done for done in range(step + 1))
    before = frazil.loaded(topic.name)
    digests = Warehouse(before).digests(before)
    frazil.kill()

    again = make_frazil(topic, data_dir=frazil.data_dir)
    after = again.loaded(topic.name)
    assert after["metadata-location"] == before["metadata-location"]
    assert after["metadata"] == before["metadata"]
    assert Warehouse(after).digests(after) == digests

    duck = duckdb_of(again)
    table = f"frazil.speed.{topic.name}"
    for snapshot, count in counts.items():
        assert duck.value(f"SELECT count(*) FROM {table} AT (VERSION => {snapshot})") == count
        assert duck.value(f"SELECT count(id) FROM {table} AT (VERSION => {snapshot})") == count

    topic.produce_orders(range(5000, 5100))
    grown = again.loaded(topic.name)
    listed = [snapshot["snapshot-id"] for snapshot in grown["metadata"]["snapshots"]]
    assert set(counts) <= set(listed)
    now = Warehouse(grown).digests(grown)
    kept = {location for location in digests if not location.endswith(".metadata.json")}
    assert kept
    assert {location: now[location] for location in kept} == {
        location: digests[location] for location in kept}
    assert_same_rows(duckdb_of(again).rows(f"SELECT * FROM {table}"),
                     services.oracle.rows(topic.name, ORDER_FIELDS))


def test_an_old_metadata_file_is_still_there_after_growth(make_topic, make_frazil):
    topic = make_topic()
    frazil = make_frazil(topic)
    seen = {}
    for step in range(5):
        topic.produce_orders(range(step * 10, step * 10 + 10))
        loaded = frazil.loaded(topic.name)
        seen[loaded["metadata-location"]] = loaded["metadata"]
    warehouse = Warehouse(loaded)
    for location, metadata in seen.items():
        assert warehouse.metadata(location) == metadata
    frazil.kill()
    loaded = make_frazil(topic, data_dir=frazil.data_dir).loaded(topic.name)
    warehouse = Warehouse(loaded)
    for location, metadata in seen.items():
        assert warehouse.metadata(location) == metadata


def test_a_new_data_folder_starts_a_new_table(make_topic, make_frazil):
    topic = make_topic()
    topic.produce_orders(range(10))
    first = make_frazil(topic).loaded(topic.name)
    second = make_frazil(topic).loaded(topic.name)
    assert first["metadata"]["table-uuid"] != second["metadata"]["table-uuid"]


def test_a_second_process_on_the_same_folder_is_refused(make_topic, make_frazil):
    topic = make_topic()
    frazil = make_frazil(topic)
    second = make_frazil(topic, start=False, data_dir=frazil.data_dir)
    done = subprocess.run(second.command, capture_output=True, text=True, timeout=30)
    assert done.returncode not in (0, 1) and done.returncode > 0
    assert str(frazil.data_dir) in done.stderr
    assert frazil.load(topic.name).status_code == 200


def test_a_stop_ends_with_status_0_and_frees_the_ports(make_topic, make_frazil):
    topic = make_topic()
    frazil = make_frazil(topic)
    assert frazil.load(topic.name).status_code == 200
    assert frazil.stop() == 0
    again = make_frazil(topic, data_dir=frazil.data_dir, listen=frazil.port, s3_listen=frazil.s3_port)
    assert again.load(topic.name).status_code == 200
