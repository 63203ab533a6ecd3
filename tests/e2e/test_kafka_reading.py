# SPDX-License-Identifier: Apache-2.0
"""What lies in a log, however it was written, cut or cleaned, is what a read_committed consumer gets."""

import random

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from comparing import assert_metadata_agrees, assert_same_rows
from conftest import ORDER_FIELDS
from harness.orders import order
from harness.waiting import wait_for

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]


def check(topic, duck, services):
    found = duck.rows(f"SELECT * FROM frazil.speed.{topic.name}")
    assert_same_rows(found, services.oracle.rows(topic.name, ORDER_FIELDS))
    assert_metadata_agrees(duck, topic.name)
    oldest, = duck.tuples(f"SELECT snapshot_id FROM iceberg_snapshots(frazil.speed.{topic.name}) "
                          "ORDER BY sequence_number LIMIT 1")[:1] or [None]
    if oldest:
        assert_metadata_agrees(duck, topic.name, oldest[0])
    return found


def produce(topic, numbers, writer, **options):
    for number in numbers:
        topic.send(order(number), key=b"%d" % number, partition=number % topic.partitions,
                   producer=writer, **options)
    topic.flush(writer)


def delete_records(services, topic, partition, before):
    admin = AdminClient({"bootstrap.servers": services.kafka.address, "log_level": 2})
    for future in admin.delete_records([TopicPartition(topic.name, partition, before)]).values():
        future.result(30)


def test_all_codecs_mixed_in_one_partition(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=1)
    for number, codec in enumerate(CODECS * 2):
        produce(topic, range(100 * number, 100 * number + 100),
                topic.new_producer(codec, linger_ms=100))
    assert len(check(topic, duckdb_of(make_frazil(topic)), services)) == 1000


@pytest.mark.apache_only("the embedded broker stores batches as they come")
def test_batches_that_the_broker_compresses_as_java_does(make_topic, make_frazil, duckdb_of, services):
    """The setting compression.type makes the broker write batches anew: Java's framing of Snappy."""
    topics = [make_topic(name=f"java_{codec}", partitions=1, compression="none",
                         config={"compression.type": "uncompressed" if codec == "none" else codec})
              for codec in CODECS]
    for topic in topics:
        produce(topic, range(500), topic.new_producer("none", linger_ms=200))
        # Larger than a block of 32 KiB.
        topic.send({**order(500), "customer": "abcdefg" * 20_000})
        topic.flush()
    duck = duckdb_of(make_frazil(*topics))
    for topic in topics:
        assert len(check(topic, duck, services)) == 501


@pytest.mark.parametrize("codec", CODECS[1:])
def test_a_small_batch_that_uncompresses_to_much(make_topic, make_frazil, duckdb_of, codec):
    topic = make_topic(partitions=1)
    writer = topic.new_producer(codec, batch_size=30_000_000, linger_ms=500,
                                message_max_bytes=40_000_000)
    for number in range(50):
        topic.send({**order(number), "customer": "x" * 400_000}, producer=writer)
    topic.flush(writer)
    duck = duckdb_of(make_frazil(topic))
    assert duck.tuples("SELECT count(*), count(DISTINCT id), min(length(customer)), "
                       f"max(length(customer)) FROM frazil.speed.{topic.name}") == [
                           (50, 50, 400_000, 400_000)]


def test_a_record_larger_than_one_fetch(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=1, config={"max.message.bytes": "40000000"})
    writer = topic.new_producer("none", message_max_bytes=40_000_000)
    topic.produce_orders(range(10))
    noise = random.Random(1).randbytes(6_000_000).hex()
    topic.send({**order(10), "customer": noise}, producer=writer)
    topic.flush(writer)
    topic.produce_orders(range(11, 20))
    found = check(topic, duckdb_of(make_frazil(topic)), services)
    assert len(found) == 20 and found[10]["customer"] == noise


@pytest.mark.apache_only("the embedded broker has no transactions")
def test_transactions_of_several_producers_interleaved(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=2)
    chance = random.Random(4711)
    writers = [topic.new_producer(codec, transactional_id=f"{topic.name}-{codec}", linger_ms=0)
               for codec in ("lz4", "zstd", "gzip")]
    for writer in writers:
        writer.init_transactions(30)
    is_open = [False] * len(writers)

    def step(number):
        who = chance.randrange(len(writers) + 1)
        if who == len(writers):
            topic.send(order(number), partition=number % 2)
            topic.flush()
            return
        writer = writers[who]
        if not is_open[who]:
            writer.begin_transaction()
            is_open[who] = True
        topic.send(order(number), partition=chance.randrange(2), producer=writer)
        topic.flush(writer)
        if chance.randrange(4) == 0:
            (writer.commit_transaction if chance.randrange(2) else writer.abort_transaction)()
            is_open[who] = False

    for number in range(200):
        step(number)
    for who in (0, 1):
        if not is_open[who]:
            writers[who].begin_transaction()
            topic.send(order(1000 + who), partition=who, producer=writers[who])
            topic.flush(writers[who])
            is_open[who] = True
    duck = duckdb_of(make_frazil(topic))
    held_back = check(topic, duck, services)
    writers[0].commit_transaction()
    writers[1].abort_transaction()
    if is_open[2]:
        writers[2].commit_transaction()
    topic.wait_for_markers()
    found = check(topic, duck, services)
    assert 0 < len(held_back) < len(found) < 202


def test_a_log_that_starts_inside_a_batch_and_one_that_is_empty_again(make_topic, make_frazil,
                                                                      duckdb_of, services):
    topic = make_topic(partitions=4)
    writer = topic.new_producer("zstd", linger_ms=300)
    for number in range(300):
        topic.send(order(number), partition=number % 3, producer=writer)
    topic.flush(writer)
    delete_records(services, topic, 0, 37)
    delete_records(services, topic, 1, 100)
    found = check(topic, duckdb_of(make_frazil(topic)), services)
    assert {row["kafka_partition"] for row in found} == {0, 2}
    assert min(row["kafka_offset"] for row in found if row["kafka_partition"] == 0) == 37
    assert len(found) == 163


@pytest.mark.apache_only("the embedded broker has no transactions")
def test_partitions_with_nothing_but_aborted_records(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=3)
    writer = topic.new_producer(transactional_id=f"{topic.name}-writer")
    writer.init_transactions(30)
    writer.begin_transaction()
    for number in range(20):
        topic.send(order(number), partition=number % 2, producer=writer)
    topic.flush(writer)
    writer.abort_transaction()
    topic.wait_for_markers()
    duck = duckdb_of(make_frazil(topic))
    assert check(topic, duck, services) == []
    topic.produce_orders(range(20, 23))
    assert len(check(topic, duck, services)) == 3


@pytest.mark.apache_only("the embedded broker does not compact")
def test_a_compacted_topic_with_tombstones_and_transactions(make_topic, make_frazil, duckdb_of,
                                                            services):
    """Cleaned before it is first loaded: holes everywhere, emptied batches, markers (B059, B061)."""
    topic = make_topic(partitions=1, config={
        "cleanup.policy": "compact", "segment.ms": "1000", "min.cleanable.dirty.ratio": "0.01",
        "min.compaction.lag.ms": "0", "delete.retention.ms": "86400000"})
    writer = topic.new_producer(transactional_id=f"{topic.name}-writer")
    writer.init_transactions(30)

    def transact(numbers, end, note):
        writer.begin_transaction()
        for number in numbers:
            topic.send({**order(number), "note": note}, key=b"t%d" % (number % 5), producer=writer)
        topic.flush(writer)
        end()

    transact(range(0, 20), writer.commit_transaction, "committed")
    transact(range(20, 40), writer.abort_transaction, "aborted")
    transact(range(40, 44), writer.commit_transaction, "committed")
    for number in range(100, 400):
        topic.send(order(number), key=b"k%d" % (number % 10))
    for key in (b"k1", b"k2", b"t3"):
        topic.send(None, key=key)
    topic.flush()
    topic.wait_for_markers()

    def cleaned():
        # A record now and then ends the segment before it; the last segment is never cleaned.
        topic.send(order(9999), key=b"last")
        topic.flush()
        left = services.oracle.messages(topic.name)
        keys = [message.key() for message in left if message.key() != b"last"]
        return len(keys) == len(set(keys))
    wait_for(cleaned, "the log is cleaned", 60, pause=1.1)

    found = check(topic, duckdb_of(make_frazil(topic)), services)
    by_key = {row["kafka_key"]: row for row in found}
    assert {b"k%d" % number for number in range(10)} <= set(by_key)
    assert by_key[b"k1"]["id"] is None and by_key[b"t3"]["id"] is None
    assert by_key[b"k3"]["id"] == 393
    assert not [row for row in found if row["note"] == "aborted"]


def test_log_append_time_is_the_records_time(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=1, config={"message.timestamp.type": "LogAppendTime"})
    for codec in CODECS:
        produce(topic, range(50), topic.new_producer(codec), timestamp=1_000_000_000_000)
    found = check(topic, duckdb_of(make_frazil(topic)), services)
    assert len(found) == 250 and min(row["kafka_timestamp"].year for row in found) > 2001
