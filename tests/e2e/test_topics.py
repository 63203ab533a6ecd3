# SPDX-License-Identifier: Apache-2.0
"""Kinds of topics: compression, transactions, tombstones, empty, late, unknown, trimmed."""

import duckdb
import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from comparing import assert_metadata_agrees, assert_same_rows
from conftest import ORDER_FIELDS
from harness.orders import order
from harness.waiting import wait_for


def check(topic, duck, services):
    found = duck.rows(f"SELECT * FROM frazil.speed.{topic.name}")
    assert_same_rows(found, services.oracle.rows(topic.name, ORDER_FIELDS))
    assert duck.value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == len(found)
    return found


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_compression(make_topic, make_frazil, duckdb_of, services, compression):
    topic = make_topic(compression=compression)
    topic.produce_orders(range(2000))
    assert len(check(topic, duckdb_of(make_frazil(topic)), services)) == 2000


@pytest.mark.apache_only("the embedded broker has no transactions")
def test_transactions(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic()
    frazil = make_frazil(topic)
    duck = duckdb_of(frazil)
    writer = topic.new_producer(transactional_id=f"{topic.name}-writer")
    writer.init_transactions(30)

    def transact(numbers, end):
        writer.begin_transaction()
        for number in numbers:
            topic.send(order(number), partition=number % 3, producer=writer)
        topic.flush(writer)
        end()
        topic.wait_for_markers()

    transact(range(0, 50), writer.commit_transaction)
    transact(range(50, 80), writer.abort_transaction)
    topic.produce_orders(range(80, 100))
    assert len(check(topic, duck, services)) == 70

    # Open: its records, and all behind them, are not visible yet.
    writer.begin_transaction()
    topic.send(order(1000), partition=0, producer=writer)
    topic.flush(writer)
    topic.send(order(1001), partition=0)
    topic.send(order(1002), partition=1)
    topic.flush()
    found = check(topic, duck, services)
    assert {row["id"] for row in found} == {*range(50), *range(80, 100), 1002}

    writer.commit_transaction()
    topic.wait_for_markers()
    assert {row["id"] for row in check(topic, duck, services)} == {*range(50), *range(80, 100), 1000,
                                                                   1001, 1002}
    assert_metadata_agrees(frazil, topic.name)
    # Nothing but aborted records and markers comes after.
    transact(range(2000, 2010), writer.abort_transaction)
    assert len(check(topic, duck, services)) == 73


def test_tombstones_null_keys_and_headers(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=1)
    topic.send(order(1), key=b"a")
    topic.send(None, key=b"a")
    topic.send(order(2), key=None)
    topic.send(order(3), key=b"")
    topic.send(None, key=None)
    topic.send(order(4), key=bytes(range(256)), headers=[("h", b"1"), ("h", b"2"), ("", b""), ("n", None)])
    topic.send(order(5), headers=[(f"h{number}", bytes([number])) for number in range(200)])
    topic.flush()
    found = check(topic, duckdb_of(make_frazil(topic)), services)
    assert len(found) == 7
    tombstone = found[1]
    assert all(tombstone[name] is None for name in ORDER_FIELDS)
    assert tombstone["kafka_key"] == b"a"


def test_an_empty_topic_is_an_empty_table(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    duck = duckdb_of(make_frazil(topic))
    assert duck.value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == 0
    assert duck.rows(f"SELECT * FROM frazil.speed.{topic.name}") == []
    columns = [row[0] for row in duck.tuples(f"DESCRIBE frazil.speed.{topic.name}")]
    assert columns == [*ORDER_FIELDS, "kafka_generation", "kafka_partition", "kafka_offset",
                       "kafka_timestamp", "kafka_key", "kafka_headers"]


def test_a_topic_made_after_frazil_was_started_appears(make_topic, make_frazil, duckdb_of, services):
    other = make_topic()
    late = make_topic(create=False)
    frazil = make_frazil(other, late)
    answer = frazil.load(late.name)
    assert answer.status_code == 404
    assert answer.json()["error"]["type"] == "NoSuchTableException"
    assert late.name in answer.json()["error"]["message"]
    late.create()
    late.produce_orders(range(30))
    assert len(check(late, duckdb_of(frazil), services)) == 30


def test_an_unknown_table_is_named_and_the_server_keeps_serving(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(5))
    frazil = make_frazil(topic)
    answer = frazil.load("nosuch")
    assert answer.status_code == 404
    assert answer.json()["error"]["type"] == "NoSuchTableException"
    assert "nosuch" in answer.json()["error"]["message"]
    duck = duckdb_of(frazil)
    with pytest.raises(duckdb.Error, match="nosuch"):
        duck.execute("SELECT * FROM frazil.speed.nosuch")
    assert duck.value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == 5


def test_several_topics_are_several_tables(make_topic, make_frazil, duckdb_of, services):
    topics = [make_topic(name=f"several_{number}") for number in range(3)]
    for number, topic in enumerate(topics):
        topic.produce_orders(range(10 * (number + 1)))
    duck = duckdb_of(make_frazil(*topics))
    for number, topic in enumerate(topics):
        assert len(check(topic, duck, services)) == 10 * (number + 1)


def test_new_partitions_join(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=1)
    topic.produce_orders(range(10))
    duck = duckdb_of(make_frazil(topic))
    assert len(check(topic, duck, services)) == 10
    topic.add_partitions(4)
    topic.produce_orders(range(10, 40))
    assert len(check(topic, duck, services)) == 40


def test_r9_records_that_kafka_deleted_leave_at_the_next_load(make_topic, make_frazil, duckdb_of,
                                                              services):
    topic = make_topic(partitions=2)
    topic.produce_orders(range(100))
    frazil = make_frazil(topic)
    duck = duckdb_of(frazil)
    assert len(check(topic, duck, services)) == 100
    admin = AdminClient({"bootstrap.servers": services.kafka.address, "log_level": 2})
    for future in admin.delete_records([TopicPartition(topic.name, 0, 20)]).values():
        future.result(30)
    assert len(check(topic, duck, services)) == 80
    operations = [snapshot["summary"]["operation"]
                  for snapshot in frazil.load(topic.name).json()["metadata"]["snapshots"]]
    assert operations == ["append", "replace"]
    topic.produce_orders(range(100, 110))
    assert len(check(topic, duck, services)) == 90


def test_a_table_whose_log_starts_late_holds_what_is_left(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=2)
    topic.produce_orders(range(100))
    admin = AdminClient({"bootstrap.servers": services.kafka.address, "log_level": 2})
    for future in admin.delete_records([TopicPartition(topic.name, 0, 20)]).values():
        future.result(30)
    assert len(check(topic, duckdb_of(make_frazil(topic)), services)) == 80


def test_r1_a_topic_that_was_made_again_opens_a_generation(make_topic, make_frazil, duckdb_of,
                                                           services):
    topic = make_topic()
    topic.produce_orders(range(10))
    frazil = make_frazil(topic)
    before = frazil.load(topic.name).json()["metadata"]
    topic.delete()
    wait_for(lambda: frazil.load(topic.name).status_code == 404, "the topic is gone", 20)
    topic.create()
    topic.producer = topic.new_producer()
    topic.produce_orders(range(5))
    duck = duckdb_of(frazil)
    rows = duck.tuples(f"SELECT kafka_generation, id FROM frazil.speed.{topic.name} ORDER BY id")
    assert rows == [(1, number) for number in range(5)]
    after = frazil.load(topic.name).json()["metadata"]
    assert after["table-uuid"] == before["table-uuid"]
    assert [s["snapshot-id"] for s in after["snapshots"]][0] == before["current-snapshot-id"]


def test_many_records_in_large_batches(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(20_000))
    duck = duckdb_of(make_frazil(topic, extra=["--chunk-bytes", "128KiB"]))
    table = f"frazil.speed.{topic.name}"
    assert duck.tuples(f"SELECT count(*), count(DISTINCT id), min(id), max(id), sum(id) FROM {table}") == [
        (20_000, 20_000, 0, 19_999, 19_999 * 20_000 // 2)]
    assert duck.value(f"SELECT count(DISTINCT (kafka_partition, kafka_offset)) FROM {table}") == 20_000
