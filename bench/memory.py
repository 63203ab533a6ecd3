# SPDX-License-Identifier: Apache-2.0
"""Resident memory of Frazil over many loads and many reads.

Loads follow each other without a pause, first with nothing new, then with 2,000 records a second
arriving, then come scans by new DuckDBs. The slope is the median of all pairs in the second half
of the samples: before, caches and the history of 500 snapshots fill. The bar of a short run is
what it can tell; `--loads 100000` is the long form, whose bar is 16 MB for all of them.
"""

import itertools
import statistics

import requests

from harness.duckdb_client import DuckDb
from figures import Figure
from scene import Scene, resident_bytes

PARTITIONS = 4
RECORDS = 500_000
RATE = 2_000
SAMPLES = 200
READS = 120
# Bytes for each load, each scan; of the loads of a long run together.
LOAD_BAR = 1_024
ALL_LOADS_BAR = 16 << 20
SCAN_BAR = 64 << 10


def slope(samples):
    """Of the second half, per step of (step, bytes) pairs: the median of all pairs' slopes, which a
    few samples that hold work in progress do not move."""
    half = samples[len(samples) // 2:]
    return statistics.median((later[1] - earlier[1]) / (later[0] - earlier[0])
                             for earlier, later in itertools.combinations(half, 2))


def watch(frazil, count, action):
    """(step, resident bytes), over so many actions."""
    every = max(1, count // SAMPLES)
    samples = []
    for step in range(count):
        action()
        if step % every == 0:
            samples.append((step, resident_bytes(frazil.process)))
    return samples


def load_bar(loads):
    return min(LOAD_BAR, ALL_LOADS_BAR / loads)


def figures_of(name, samples, unit, bar):
    yield Figure(f"{name}: resident at the end", samples[-1][1] / 1e6, "MB")
    yield Figure(f"{name}: slope", slope(samples), f"bytes/{unit}", bar=bar, at_most=True)


def measure(options, folder):
    with Scene(folder) as scene, requests.Session() as session:
        topic = "watched"
        schema_id = scene.make_topic(topic, partitions=PARTITIONS)
        scene.load(topic, schema_id, records=RECORDS, partitions=PARTITIONS)
        # No load waits for the one before, and the cache is full at once.
        frazil = scene.frazil(topic, extra=["--cut-interval", "0", "--cache-bytes", "16MiB"])
        url = f"{frazil.url}{frazil.prefix()}/namespaces/speed/tables/{topic}"

        def load():
            session.get(url, timeout=300).raise_for_status()

        def scan():
            with DuckDb(frazil.url) as duck:
                duck.execute(f"SELECT max(customer), max(note) FROM frazil.speed.{topic}").fetchall()

        figures = list(figures_of(f"{options.loads:,} loads, nothing new",
                                  watch(frazil, options.loads, load), "load", load_bar(options.loads)))
        with scene.loading(topic, schema_id, rate=RATE, linger=5, partitions=PARTITIONS, first=RECORDS):
            figures += figures_of(f"{options.loads:,} loads, each with new records",
                                  watch(frazil, options.loads, load), "load", load_bar(options.loads))
        figures += figures_of(f"{READS} scans of two columns, their files made anew", watch(frazil, READS, scan), "scan", SCAN_BAR)
        return figures
