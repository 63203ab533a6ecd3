# SPDX-License-Identifier: Apache-2.0
"""Loads that find more than can be read while they wait, and topics of many partitions."""

import re

from comparing import assert_same_rows
from conftest import ORDER_FIELDS
from harness.orders import order
from harness.waiting import wait_for

COUNT = 300_000


def test_a_long_load_answers_503_with_its_progress_and_goes_on(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    other = make_topic(partitions=1)
    other.produce_orders(range(5))
    values = [topic.framing.encode(order(number)) for number in range(1000)]
    writer = topic.new_producer("lz4", linger_ms=50, queue_buffering_max_messages=COUNT)
    for number in range(COUNT):
        topic.send(values[number % 1000], partition=number % 3, producer=writer)
    topic.flush(writer)

    frazil = make_frazil(topic, other, extra=["--load-wait", "100ms"])
    answer = frazil.load(topic.name)
    assert answer.status_code == 503, answer.text[:300]
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["error"]["type"] == "ServiceUnavailableException"
    # Only this topic is being read: another one answers meanwhile.
    assert frazil.load(other.name).status_code == 200

    progress = [answer.json()["error"]["message"]]

    def complete():
        again = frazil.load(topic.name)
        if again.status_code == 200:
            return True
        assert again.status_code == 503, again.text[:300]
        progress.append(again.json()["error"]["message"])
        return False
    wait_for(complete, "the table is indexed", 90)
    done = []
    for message in progress:
        numbers = re.search(r"(\d+) of (\d+) new offsets are done", message)
        assert numbers and int(numbers[2]) == COUNT, message
        done.append(int(numbers[1]))
    assert done == sorted(done) and 0 <= done[0] < COUNT
    table = f"frazil.speed.{topic.name}"
    assert duckdb_of(frazil).tuples(
        f"SELECT count(*), count(DISTINCT (kafka_partition, kafka_offset)), sum(id) FROM {table}") == [
            (COUNT, COUNT, COUNT // 1000 * sum(range(1000)))]


def test_200_partitions(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic(partitions=200)
    topic.produce_orders(range(600))
    duck = duckdb_of(make_frazil(topic))
    assert_same_rows(duck.rows(f"SELECT * FROM frazil.speed.{topic.name}"),
                     services.oracle.rows(topic.name, ORDER_FIELDS))
    topic.produce_orders(range(600, 1000))
    assert duck.tuples(f"SELECT count(*), sum(id) FROM frazil.speed.{topic.name}") == [
        (1000, sum(range(1000)))]
