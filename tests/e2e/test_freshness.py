# SPDX-License-Identifier: Apache-2.0
"""A load sees every record acknowledged before it; counts never fall."""

import threading

from harness.orders import order

ROUNDS = 50


def test_a_record_acknowledged_between_two_queries_is_in_the_second(make_topic, make_frazil, duckdb_of):
    topic = make_topic(partitions=4)
    frazil = make_frazil(topic)
    duck = duckdb_of(frazil)
    count = f"SELECT count(*), coalesce(sum(id), 0) FROM frazil.speed.{topic.name}"
    assert duck.tuples(count) == [(0, 0)]
    for number in range(1, ROUNDS + 1):
        topic.send(order(number), partition=number % 4)
        topic.flush()
        assert duck.tuples(count) == [(number, number * (number + 1) // 2)]


def test_two_queries_of_one_transaction_see_the_same_state(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(10))
    duck = duckdb_of(make_frazil(topic))
    count = f"SELECT count(*) FROM frazil.speed.{topic.name}"
    duck.execute("BEGIN")
    assert duck.value(count) == 10
    topic.produce_orders(range(10, 15))
    assert duck.value(count) == 10
    duck.execute("COMMIT")
    assert duck.value(count) == 15


def test_nothing_new_gives_the_same_snapshot(make_topic, make_frazil):
    topic = make_topic()
    topic.produce_orders(range(10))
    frazil = make_frazil(topic)
    first = frazil.loaded(topic.name)
    again = frazil.loaded(topic.name)
    assert again["metadata-location"] == first["metadata-location"]
    assert again["metadata"] == first["metadata"]
    topic.produce_orders(range(10, 11))
    third = frazil.loaded(topic.name)
    assert third["metadata"]["current-snapshot-id"] != first["metadata"]["current-snapshot-id"]
    stamps = [snapshot["timestamp-ms"] for snapshot in third["metadata"]["snapshots"]]
    assert stamps == sorted(set(stamps))


def test_a_metadata_file_can_be_asked_for_on_condition(make_topic, make_frazil):
    import requests
    topic = make_topic()
    topic.produce_orders(range(10))
    frazil = make_frazil(topic)
    answer = frazil.load(topic.name)
    tag = answer.headers["ETag"]
    url = f"{frazil.url}{frazil.prefix()}/namespaces/speed/tables/{topic.name}"
    assert requests.get(url, headers={"If-None-Match": tag}, timeout=30).status_code == 304
    topic.produce_orders(range(10, 11))
    assert requests.get(url, headers={"If-None-Match": tag}, timeout=30).status_code == 200


def test_concurrent_readers_see_counts_that_never_fall(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    frazil = make_frazil(topic)
    count = f"SELECT count(*) FROM frazil.speed.{topic.name}"
    acknowledged = 0
    lock = threading.Lock()
    done = threading.Event()
    faults = []

    def read(duck):
        last = 0
        try:
            while not done.is_set():
                with lock:
                    at_least = acknowledged
                seen = duck.value(count)
                if seen < at_least or seen < last:
                    faults.append(f"saw {seen} after {last}, with {at_least} acknowledged")
                last = seen
        except Exception as error:  # an engine's error is a fault, too
            faults.append(repr(error))

    readers = [threading.Thread(target=read, args=(duckdb_of(frazil),)) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(60):
        topic.produce_orders(range(number * 10, number * 10 + 10))
        with lock:
            acknowledged = number * 10 + 10
    done.set()
    for reader in readers:
        reader.join()
    assert not faults
    assert duckdb_of(frazil).value(count) == 600
