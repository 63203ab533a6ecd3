#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make dev`: Frazil beside an embedded Kafka broker and schema registry (`frazil sandbox`), a small
shop that never rests, and two answered queries. Needs no Java.

usage: .deps/venv/bin/python scripts/dev.py [--once]

--once ends after the answers. Ctrl-C ends everything that was started. Ports: KAFKA_PORT (9092),
REGISTRY_PORT (8081), FRAZIL_PORT (8181), FRAZIL_S3_PORT (8182).
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from harness.duckdb_client import EXTENSIONS, DuckDb, attach_statement  # noqa: E402
from harness.frazil import BINARY, Frazil, FrazilFailed  # noqa: E402
from harness.ports import is_taken  # noqa: E402
from harness.sandbox import Sandbox  # noqa: E402
from harness.services import ServiceFailed  # noqa: E402
from harness.shop import Shop  # noqa: E402

RUN = ROOT / ".run" / "dev"
FIRST_RECORDS = 1000
RECORDS_AT_ONCE = 20
PAUSE_SECONDS = 0.2

REVENUE = ("SELECT status, count(*) AS orders, sum(amount) AS revenue FROM frazil.speed.orders "
           "GROUP BY status ORDER BY status;")
CITIES = ("SELECT payer.address.city AS city, count(*) AS payments, "
          "count(\"method\".Card) AS by_card, sum(amount) AS amount FROM frazil.speed.payments "
          "GROUP BY city ORDER BY city;")


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


def say(text=""):
    print(text, flush=True)


def start_all(ended, ports):
    """Starts everything; what has started is ended by the stack `ended`, last first."""
    sandbox = Sandbox(RUN, kafka_port=ports["KAFKA_PORT"], registry_port=ports["REGISTRY_PORT"],
                      create_topics=True)
    ended.callback(sandbox.stop)
    sandbox.start()
    shop = Shop(sandbox.address, sandbox.registry.url, RECORDS_AT_ONCE, PAUSE_SECONDS)
    shop.open()
    shop.produce(FIRST_RECORDS)
    ended.callback(shop.end)
    shop.start()
    frazil = Frazil(sandbox.address, sandbox.registry.url, list(Shop.TOPICS), RUN / "data",
                    listen=ports["FRAZIL_PORT"], s3_listen=ports["FRAZIL_S3_PORT"])
    ended.callback(frazil.stop)
    frazil.start()
    return sandbox, shop, frazil


def answer_queries(frazil):
    with DuckDb(frazil.url) as duck:
        for query in (REVENUE, CITIES):
            started = time.monotonic()
            table = duck.connection.sql(query)
            text = str(table)
            say(f"\nduckdb> {query}\n{text}({1000 * (time.monotonic() - started):.0f} ms)")


def explain(sandbox, frazil):
    init = RUN / "attach.sql"
    relative = os.path.relpath(init, ROOT)
    init.write_text(f"SET extension_directory = '{EXTENSIONS}';\n"
                    "LOAD avro; LOAD httpfs; LOAD iceberg;\n" + attach_statement(frazil.url) + "\n")
    say(f"""
  Kafka              {sandbox.address}   (orders, payments: {RECORDS_AT_ONCE / PAUSE_SECONDS:.0f} new records a second each)
  schema registry    {sandbox.registry.url}
  Iceberg catalog    {frazil.url}   (metrics at /metrics)
  S3 endpoint        {frazil.s3_url}
  logs               {os.path.relpath(frazil.log, ROOT)}, {os.path.relpath(sandbox.log, ROOT)}

DuckDB, from this folder:

  .deps/venv/bin/duckdb -init {relative} -c "SELECT * FROM frazil.speed.payments LIMIT 5;"

or any DuckDB 1.5:

  INSTALL iceberg; LOAD iceberg;
  {attach_statement(frazil.url)}
  {REVENUE}
  {CITIES}

PyIceberg, in .deps/venv/bin/python:

  from pyiceberg.catalog import load_catalog
  load_catalog("frazil", type="rest", uri="{frazil.url}").load_table("speed.orders").scan(limit=5).to_arrow()
""")


def watch(sandbox, shop, frazil):
    """Until Ctrl-C; sooner when something has ended by itself."""
    while True:
        time.sleep(0.5)
        if sandbox.process.poll() is not None:
            raise ServiceFailed(f"the sandbox ended with status {sandbox.process.returncode}; see "
                                f"{sandbox.log}")
        if shop.fault:
            raise ServiceFailed(f"the shop ended: {shop.fault}")
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
        (ports["REGISTRY_PORT"], "schema registry", "REGISTRY_PORT"),
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
                sandbox, shop, frazil = start_all(ended, ports)
                answer_queries(frazil)
                explain(sandbox, frazil)
                if not once:
                    say("Ctrl-C ends all of it.")
                    watch(sandbox, shop, frazil)
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
