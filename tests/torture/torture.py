#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random times, under continuous production, with several readers that compare.

usage: .deps/venv/bin/python tests/torture/torture.py [--seconds N] [--seed N] [--readers N]

Checked throughout: a count never falls and never misses a record acknowledged before the query; a
count of distinct coordinates equals the count; a snapshot that was listed is listed ever after, word
for word, unless the list was full, and then its files are still there; after restarts what was
listed gives the same bytes. At the end every row is compared with an independent consumer's.
The seed decides when processes are killed and what is produced; print it with a failure.
"""

import argparse
import hashlib
import json
import pathlib
import random
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "e2e")]

from comparing import assert_same_rows  # noqa: E402
from harness.duckdb_client import DuckDb  # noqa: E402
from harness.frazil import Frazil  # noqa: E402
from harness.oracle import Oracle  # noqa: E402
from harness.orders import ORDER_SCHEMA, order  # noqa: E402
from harness.ports import free_ports  # noqa: E402
from harness.services import Kafka, Registry  # noqa: E402
from harness.topics import Topic  # noqa: E402
from harness.warehouse import Warehouse  # noqa: E402

FIELDS = [field["name"] for field in ORDER_SCHEMA["fields"]]
TOPIC = "tortured"
UP_SECONDS = (0.1, 4.0)
# Reading every object of every snapshot takes longer than all else, so not after each restart.
HISTORY_EVERY = 5
# The default of history-snapshots.
LISTED_SNAPSHOTS = 500


class State:
    """What the threads share."""

    def __init__(self, seconds):
        self._lock = threading.Lock()
        self._until = time.monotonic() + seconds
        self._acknowledged = 0
        self.generation = 0
        self.up = threading.Event()
        self.faults = []
        self.counts = {"records": 0, "queries": 0, "interrupted": 0, "kills": 0, "objects": 0,
                       "snapshots": 0, "thinned": 0}

    def running(self):
        return time.monotonic() < self._until and not self.faults

    def acknowledged(self, more=0):
        with self._lock:
            self._acknowledged += more
            return self._acknowledged

    def count(self, what, more=1):
        with self._lock:
            self.counts[what] += more

    def fault(self, text):
        with self._lock:
            self.faults.append(text)


def guarded(function):
    def run(state, *arguments):
        try:
            function(state, *arguments)
        except Exception as error:
            state.fault(f"{function.__name__}: {error!r}")
    return run


@guarded
def produce(state, topic, seed):
    """Plain records, and transactions of which some are aborted."""
    chance = random.Random(seed)
    number = 0
    while state.running():
        amount = chance.choice([1, 1, 10, 200])
        topic.produce_orders(range(number, number + amount))
        number += amount
        state.acknowledged(amount)
        state.count("records", amount)
        if chance.random() < 0.1:
            topic.send(None, key=b"tombstone", partition=chance.randrange(topic.partitions))
            topic.flush()
            state.acknowledged(1)
        time.sleep(chance.uniform(0, 0.2))


@guarded
def produce_transactions(state, topic, seed):
    chance = random.Random(seed)
    writer = topic.new_producer(transactional_id="torture")
    writer.init_transactions(30)
    while state.running():
        amount = chance.randrange(1, 30)
        writer.begin_transaction()
        for _ in range(amount):
            topic.send(order(chance.randrange(10**9)), producer=writer,
                       partition=chance.randrange(topic.partitions))
        topic.flush(writer)
        time.sleep(chance.uniform(0, 0.3))
        if chance.random() < 0.3:
            writer.abort_transaction()
        else:
            writer.commit_transaction()
            # An open transaction of this producer hides what comes behind it, so only a whole
            # commit makes a lower bound.
            state.count("records", amount)
        time.sleep(chance.uniform(0, 0.3))


@guarded
def read(state, frazil, transactional):
    """One DuckDB; attached anew after each restart."""
    query = (f"SELECT count(*), count(DISTINCT (kafka_partition, kafka_offset)), count(id) "
             f"FROM frazil.speed.{TOPIC}")
    last = 0
    while state.running():
        if not state.up.wait(0.5):
            continue
        generation = state.generation
        try:
            with DuckDb(frazil.url) as duck:
                while state.running() and generation == state.generation:
                    at_least = 0 if transactional else state.acknowledged()
                    found, distinct, _ = duck.tuples(query)[0]
                    state.count("queries")
                    if found != distinct:
                        state.fault(f"{found} rows, {distinct} coordinates")
                    if found < last or found < at_least:
                        state.fault(f"count {found} after {last}, with {at_least} acknowledged")
                    last = found
        except Exception as error:
            # An error is right only when the process was killed meanwhile.
            if generation == state.generation and state.up.is_set() and state.running():
                time.sleep(0.2)
                if generation == state.generation and state.up.is_set():
                    state.fault(f"a query failed while frazil was up: {error}")
            state.count("interrupted")


class History:
    """What was listed, and the bytes that were read, over all lives of the process."""

    def __init__(self, state, frazil):
        self._state = state
        self._frazil = frazil
        self._listed = {}
        self._digests = {}

    def _take(self, objects):
        """location -> digest; none may differ from what it was before."""
        for location, digest in objects.items():
            if self._digests.setdefault(location, digest) != digest:
                self._state.fault(f"other bytes than before: {location}")
        self._state.count("objects", len(self._digests) - self._state.counts["objects"])

    def _read(self, warehouse, snapshot):
        self._take({location: hashlib.sha256(content).hexdigest()
                    for location, content in warehouse.snapshot_objects(snapshot).items()})

    def look(self):
        """The loaded table. What the former look found must be in its list."""
        loaded = self._frazil.loaded(TOPIC)
        shown = {snapshot["snapshot-id"]: snapshot for snapshot in loaded["metadata"]["snapshots"]}
        if loaded["metadata"]["current-snapshot-id"] not in shown:
            self._state.fault("the current snapshot is not listed")
        for number, snapshot in self._listed.items():
            if number in shown:
                if json.dumps(snapshot) != json.dumps(shown[number]):
                    self._state.fault(f"a snapshot was listed as {snapshot}, now {shown[number]}")
            elif len(shown) < LISTED_SNAPSHOTS:
                self._state.fault(f"snapshot {number} is listed no more, among {len(shown)}")
            else:
                self._read(Warehouse(loaded), snapshot)
                self._state.count("thinned")
        self._state.count("snapshots", len(shown.keys() - self._listed.keys()))
        self._listed = shown
        return loaded

    def read_newest(self):
        """Every object of the snapshot that was listed last."""
        loaded = self.look()
        self._read(Warehouse(loaded), loaded["metadata"]["snapshots"][-1])

    def read_all(self):
        loaded = self.look()
        self._take(Warehouse(loaded).digests(loaded))

    def read_again(self):
        """After a restart: the newest snapshot of the life before."""
        before = list(self._listed.values())
        loaded = self.look()
        if before:
            self._read(Warehouse(loaded), before[-1])


def live(state, history, chance):
    """One life of the process, until it is to be killed: often right after a load was answered."""
    history.read_again()
    if state.counts["kills"] % HISTORY_EVERY == 0:
        history.read_all()
    ends = time.monotonic() + chance.uniform(*UP_SECONDS)
    while time.monotonic() < ends and state.running():
        time.sleep(chance.uniform(0, 0.1))
        history.look()
    if chance.random() < 0.5:
        history.read_newest()
        history.look()


def torment(state, frazil, seed):
    chance = random.Random(seed)
    history = History(state, frazil)
    while state.running():
        state.generation += 1
        frazil.start()
        state.up.set()
        live(state, history, chance)
        if not state.running():
            break
        state.up.clear()
        state.generation += 1
        frazil.kill()
        state.count("kills")
    else:
        # The last thing that was done is a kill.
        frazil.start()
    if not state.faults:
        history.read_all()


def run(options, folder):
    kafka = Kafka(folder / "kafka")
    registry = Registry(folder / "registry")
    frazil = None
    threads = []
    try:
        kafka.start()
        registry.start()
        topic = Topic(kafka.address, registry, TOPIC, partitions=4)
        listen, s3_listen = free_ports(2)
        frazil = Frazil(kafka.address, registry.url, [TOPIC], folder / "data", listen=listen,
                        s3_listen=s3_listen, extra=["--chunk-bytes", "64KiB"])
        state = State(options.seconds)
        threads = [threading.Thread(target=produce, args=(state, topic, options.seed))]
        if options.transactions:
            threads.append(threading.Thread(target=produce_transactions,
                                            args=(state, topic, options.seed + 1)))
        threads += [threading.Thread(target=read, args=(state, frazil, options.transactions))
                    for _ in range(options.readers)]
        for thread in threads:
            thread.start()
        try:
            torment(state, frazil, options.seed + 2)
        except Exception as error:
            state.fault(f"torment: {error!r}")
        for thread in threads:
            thread.join()
        if not state.faults:
            compare_all(state, frazil, Oracle(kafka.address, registry.url))
        print(", ".join(f"{number} {what}" for what, number in state.counts.items()))
        for fault in state.faults[:20]:
            print(f"FAULT: {fault}")
        if state.faults:
            print(f"seed {options.seed}; the end of frazil's log:\n{frazil.tail()}")
        return not state.faults
    finally:
        if frazil:
            frazil.kill()
        kafka.wipe()
        registry.wipe()


def compare_all(state, frazil, oracle):
    with DuckDb(frazil.url) as duck:
        try:
            assert_same_rows(duck.rows(f"SELECT * FROM frazil.speed.{TOPIC}"), oracle.rows(TOPIC, FIELDS))
        except AssertionError as error:
            state.fault(f"at the end: {error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--readers", type=int, default=3)
    options = parser.parse_args()
    passed = True
    # With open transactions a plain record's acknowledgement is no promise of visibility (R7), so
    # half of the time goes without them, where it is.
    for transactions in (False, True):
        options.transactions = transactions
        with tempfile.TemporaryDirectory() as folder:
            half = argparse.Namespace(**{**vars(options), "seconds": options.seconds / 2})
            print(f"{'with' if transactions else 'without'} transactions, {half.seconds:.0f} s, "
                  f"seed {options.seed}", flush=True)
            passed = run(half, pathlib.Path(folder)) and passed
    print("torture passed" if passed else "torture FAILED")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
