# SPDX-License-Identifier: Apache-2.0
"""From a record's acknowledgement to the answer that holds it.

Each round produces one record, waits for its acknowledgement, and asks DuckDB at once, over a
connection that stays open; an answer without the record ends the run. `idle`: nothing else is
written; `busy`: another process writes 20,000 records a second into the same topic meanwhile. Then
the peer, in the same run: the same query over a table that PyIceberg wrote once from the final rows,
served from memory by a small server on the same HTTP code. That is faster than an object store. The
table lacks Kafka's headers, and is one append, whose files a filter on the newest id does not skip.
"""

import time

from confluent_kafka import KafkaException, Producer

from harness.duckdb_client import DuckDb
from harness.orders import AvroFraming, order
from figures import Figure
from scene import Scene, percentile, schema_text
from static_table import rows_of, served

BUSY_RATE = 20_000
# Above all ids of the other writer, so that bounds tell which files cannot hold a round's record.
FIRST_ID = 4_000_000_000
ADDED_BAR = 100
PARTITIONS = 4


def check_delivery(error, _message):
    if error is not None:
        raise KafkaException(error)


class Writer:
    """One record at a time, acknowledged on return."""

    def __init__(self, scene, topic, schema_id):
        self._topic = topic
        self._framing = AvroFraming(schema_text("flat"), schema_id)
        self._producer = Producer({"bootstrap.servers": scene.kafka, "acks": "all", "linger.ms": 0,
                                   "log_level": 2})

    def write(self, number):
        value = self._framing.encode({**order(number % 1000), "id": FIRST_ID + number})
        self._producer.produce(self._topic, value, partition=number % PARTITIONS,
                               on_delivery=check_delivery)
        if self._producer.flush(30):
            raise TimeoutError("a record was not acknowledged within 30 s")


def ask(duck, topic, number):
    """Milliseconds until DuckDB answers."""
    query = f"SELECT count(*) FROM frazil.speed.{topic} WHERE id = {FIRST_ID + number}"
    begin = time.perf_counter()
    found = duck.value(query)
    took = 1e3 * (time.perf_counter() - begin)
    if found != 1:
        raise RuntimeError(f"{topic}: record {number} stands {found} times in the answer")
    return took


def run_rounds(scene, topic, schema_id, url, rounds):
    writer = Writer(scene, topic, schema_id)
    with DuckDb(url) as duck:
        duck.value(f"SELECT count(*) FROM frazil.speed.{topic}")
        took = []
        for number in range(rounds):
            writer.write(number)
            took.append(ask(duck, topic, number))
        return took


def ask_peer(scene, topic, url, rounds):
    """The same queries over the final rows as a static table; how many rows those are."""
    with DuckDb(url) as duck:
        rows = rows_of(duck, f"SELECT * EXCLUDE (kafka_headers) FROM frazil.speed.{topic}")
    with served(scene.folder / f"static_{topic}", topic, rows) as static, DuckDb(static.url) as duck:
        duck.value(f"SELECT count(*) FROM frazil.speed.{topic}")
        return [ask(duck, topic, number) for number in range(rounds)], rows.num_rows


def figures_of(name, took, peer, rows):
    yield Figure(f"{name}: p50 from acknowledgement to answer", percentile(took, 50), "ms")
    yield Figure(f"{name}: p99", percentile(took, 99), "ms")
    yield Figure(f"{name}: worst of {len(took)}", max(took), "ms")
    yield Figure(f"{name}: static table of {rows:,} rows, p50", percentile(peer, 50), "ms")
    yield Figure(f"{name}: static table, p99", percentile(peer, 99), "ms")
    yield Figure(f"{name}: added at p99", percentile(took, 99) - percentile(peer, 99), "ms",
                 bar=ADDED_BAR, at_most=True)


def measure(options, folder):
    figures = []
    with Scene(folder) as scene:
        for name in ("idle", "busy"):
            topic = f"fresh_{name}"
            schema_id = scene.make_topic(topic, partitions=PARTITIONS)
            frazil = scene.frazil(topic)
            if name == "busy":
                with scene.loading(topic, schema_id, rate=BUSY_RATE, linger=5, partitions=PARTITIONS):
                    took = run_rounds(scene, topic, schema_id, frazil.url, options.rounds)
            else:
                took = run_rounds(scene, topic, schema_id, frazil.url, options.rounds)
            peer, rows = ask_peer(scene, topic, frazil.url, options.rounds)
            frazil.stop()
            figures += figures_of(name, took, peer, rows)
    return figures
