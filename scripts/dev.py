#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make dev`: Kafka, a schema registry, a producer that never rests, Frazil, and two answered queries.

usage: .deps/venv/bin/python scripts/dev.py [--once]

--once ends after the answers. Ctrl-C ends everything that was started. Ports: KAFKA_PORT (9092),
REGISTRY_PORT (8081), FRAZIL_PORT (8181), FRAZIL_S3_PORT (8182), and the successors of the first two.
"""

import argparse
import contextlib
import datetime
import decimal
import os
import pathlib
import shutil
import signal
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from harness.duckdb_client import EXTENSIONS, DuckDb, attach_statement  # noqa: E402
from harness.frazil import BINARY, Frazil, FrazilFailed  # noqa: E402
from harness.orders import order  # noqa: E402
from harness.ports import HOST, is_taken  # noqa: E402
from harness.services import Kafka, Registry, ServiceFailed  # noqa: E402
from harness.topics import Topic  # noqa: E402

RUN = ROOT / ".run" / "dev"
TOPIC = "orders"
FIRST_RECORDS = 1000
RECORDS_AT_ONCE = 20
PAUSE_SECONDS = 0.2

COUNT = f"SELECT count(*) AS orders, max(kafka_timestamp) AS newest FROM frazil.speed.{TOPIC};"
REVENUE = (f"SELECT status, count(*) AS orders, sum(amount) AS revenue FROM frazil.speed.{TOPIC} "
           "GROUP BY status ORDER BY status;")


class Ended(Exception):
    """Ctrl-C, or SIGTERM."""


def port(name, default):
    text = os.environ.get(name, str(default))
    if not text.isdigit() or not 0 < int(text) < 65535:
        sys.exit(f"{name} is no port number: {text}")
    return int(text)


def refuse_taken_ports(wanted):
    taken = [f"{number} ({what}; {setting} changes it)" for number, what, setting in wanted
             if is_taken(number)]
    if taken:
        sys.exit("Another process listens on a port that make dev needs; end it, or choose another "
                 f"port. Taken: {', '.join(taken)}")


def plain_order(number):
    """Without the extreme values that tests are after."""
    extreme = order(number)
    price = decimal.Decimal(number * 7919 % 20_000).scaleb(-2)
    quantity = number % 5 + 1
    return {**extreme, "ts": datetime.datetime.now(datetime.timezone.utc), "qty": quantity,
            "amount": price * quantity, "price": float(price)}


def produce(topic, numbers):
    for number in numbers:
        topic.send(plain_order(number), key=str(number).encode())
    topic.flush()


class Producer(threading.Thread):
    """Orders without end, acknowledged batch by batch."""

    def __init__(self, topic):
        super().__init__(daemon=True)
        self._topic = topic
        self._ended = threading.Event()
        self.fault = None

    def run(self):
        number = FIRST_RECORDS
        try:
            while not self._ended.is_set():
                produce(self._topic, range(number, number + RECORDS_AT_ONCE))
                number += RECORDS_AT_ONCE
                self._ended.wait(PAUSE_SECONDS)
        except Exception as error:
            self.fault = error

    def end(self):
        self._ended.set()
        self.join(10)


def say(text=""):
    print(text, flush=True)


def start_all(ended, ports):
    """Starts everything; what has started is ended by the stack `ended`, last first."""
    kafka = Kafka(RUN / "kafka", port=ports["KAFKA_PORT"])
    ended.callback(kafka.wipe)
    say("starting Apache Kafka ...")
    kafka.start()
    registry = Registry(RUN / "registry", port=ports["REGISTRY_PORT"])
    ended.callback(registry.wipe)
    say("starting the schema registry ...")
    registry.start()
    topic = Topic(kafka.address, registry, TOPIC)
    produce(topic, range(FIRST_RECORDS))
    producer = Producer(topic)
    ended.callback(producer.end)
    producer.start()
    frazil = Frazil(kafka.address, registry.url, [TOPIC], RUN / "data",
                    listen=ports["FRAZIL_PORT"], s3_listen=ports["FRAZIL_S3_PORT"])
    ended.callback(frazil.stop)
    say("starting Frazil ...")
    frazil.start()
    return kafka, registry, producer, frazil


def answer_queries(frazil):
    with DuckDb(frazil.url) as duck:
        for query in (COUNT, REVENUE):
            started = time.monotonic()
            table = duck.connection.sql(query)
            text = str(table)
            say(f"\nduckdb> {query}\n{text}({1000 * (time.monotonic() - started):.0f} ms)")


def explain(kafka, registry, frazil):
    init = RUN / "attach.sql"
    relative = os.path.relpath(init, ROOT)
    init.write_text(f"SET extension_directory = '{EXTENSIONS}';\n"
                    "LOAD avro; LOAD httpfs; LOAD iceberg;\n" + attach_statement(frazil.url) + "\n")
    say(f"""
  Kafka              {kafka.address}   (topic {TOPIC}, {RECORDS_AT_ONCE / PAUSE_SECONDS:.0f} new records a second)
  schema registry    {registry.url}
  Iceberg catalog    {frazil.url}   (metrics at /metrics)
  S3 endpoint        {frazil.s3_url}
  Frazil's log       {os.path.relpath(frazil.log, ROOT)}

DuckDB, from this folder:

  .deps/venv/bin/duckdb -init {relative} -c "{COUNT}"

or any DuckDB 1.5:

  INSTALL iceberg; LOAD iceberg;
  {attach_statement(frazil.url)}
  {COUNT}
  {REVENUE}

PyIceberg, in .deps/venv/bin/python:

  from pyiceberg.catalog import load_catalog
  load_catalog("frazil", type="rest", uri="{frazil.url}").load_table("speed.{TOPIC}").scan(limit=5).to_arrow()
""")


def watch(producer, frazil):
    """Until Ctrl-C; sooner when something has ended by itself."""
    while True:
        time.sleep(0.5)
        if producer.fault:
            raise ServiceFailed(f"the producer ended: {producer.fault}")
        if frazil.process.poll() is not None:
            raise FrazilFailed(f"frazil ended with status {frazil.process.returncode}:\n{frazil.tail()}")


def raise_ended(*_):
    # Once: a second Ctrl-C must not leave half of it running.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Ended


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--once", action="store_true")
    once = parser.parse_args().once
    if not BINARY.exists():
        sys.exit(f"Frazil has not been built; run make build. Missing: {BINARY}")
    ports = {name: port(name, default) for name, default in [
        ("KAFKA_PORT", 9092), ("REGISTRY_PORT", 8081), ("FRAZIL_PORT", 8181), ("FRAZIL_S3_PORT", 8182)]}
    refuse_taken_ports([
        (ports["KAFKA_PORT"], "Kafka", "KAFKA_PORT"),
        (ports["KAFKA_PORT"] + 1, "Kafka's controller", "KAFKA_PORT"),
        (ports["REGISTRY_PORT"], "schema registry", "REGISTRY_PORT"),
        (ports["REGISTRY_PORT"] + 1, "the registry's management", "REGISTRY_PORT"),
        (ports["FRAZIL_PORT"], "Iceberg catalog", "FRAZIL_PORT"),
        (ports["FRAZIL_S3_PORT"], "S3 endpoint", "FRAZIL_S3_PORT")])
    shutil.rmtree(RUN, ignore_errors=True)
    RUN.mkdir(parents=True)
    signal.signal(signal.SIGINT, raise_ended)
    signal.signal(signal.SIGTERM, raise_ended)
    status = 0
    try:
        with contextlib.ExitStack() as ended:
            try:
                kafka, registry, producer, frazil = start_all(ended, ports)
                answer_queries(frazil)
                explain(kafka, registry, frazil)
                if not once:
                    say("Ctrl-C ends all of it.")
                    watch(producer, frazil)
            except (ServiceFailed, FrazilFailed, TimeoutError) as error:
                say(f"\n{error}")
                status = 1
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                say("\nending everything ...")
    except Ended:
        pass
    say("ended; ports are free again")
    sys.exit(status)


if __name__ == "__main__":
    main()
