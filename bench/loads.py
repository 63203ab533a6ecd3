# SPDX-License-Identifier: Apache-2.0
"""LoadTable of a topic of 100 partitions whose records were seen: ten a second, by a fixed schedule.

A load is timed from the moment when it was due to the last byte of its answer, so that one that is
late makes the next ones late, as it would for clients. `quiet`: nothing new; `busy`: 1,000 records a
second arrive, over all partitions, so that every load makes about 100 files.
"""

import time

import requests

from figures import Figure
from scene import Scene, cpu_seconds, percentile

PARTITIONS = 100
LOADS_A_SECOND = 10
SECONDS = 30
BUSY_RATE = 1_000
BAR = 10


def timed_loads(frazil, topic):
    """Milliseconds of each load, and the snapshots that were seen."""
    url = f"{frazil.url}{frazil.prefix()}/namespaces/speed/tables/{topic}"
    took, seen = [], set()
    with requests.Session() as session:
        session.get(url, timeout=300).raise_for_status()
        begin = time.perf_counter()
        for number in range(SECONDS * LOADS_A_SECOND):
            due = begin + number / LOADS_A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))
            answer = session.get(url, timeout=300)
            took.append(1e3 * (time.perf_counter() - due))
            answer.raise_for_status()
            seen.add(answer.json()["metadata-location"])
    return took, seen


def fetches(frazil):
    """Fetch requests and bytes so far."""
    text = requests.get(f"{frazil.url}/metrics", timeout=10).text
    requested = sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                    if line.startswith('frazil_kafka_requests_total{') and 'api="fetch"' in line)
    return requested, frazil.metric("frazil_kafka_fetched_bytes_total")


def measured(frazil, topic, name):
    """(figures, fetch requests, states seen)."""
    before, cpu = fetches(frazil), cpu_seconds(frazil.process)
    took, seen = timed_loads(frazil, topic)
    after, cpu = fetches(frazil), cpu_seconds(frazil.process) - cpu
    return [Figure(f"{name}: LoadTable, p50", percentile(took, 50), "ms"),
            Figure(f"{name}: LoadTable, p99", percentile(took, 99), "ms", bar=BAR, at_most=True),
            Figure(f"{name}: worst of {len(took)}", max(took), "ms"),
            Figure(f"{name}: CPU of Frazil a load", 1e3 * cpu / len(took), "CPU-ms")], \
        after[0] - before[0], seen


def measure(options, folder):
    with Scene(folder) as scene:
        topic = "wide"
        schema_id = scene.make_topic(topic, partitions=PARTITIONS)
        scene.load(topic, schema_id, records=options.seen, partitions=PARTITIONS, linger=500)
        frazil = scene.frazil(topic)
        begin, cpu = time.perf_counter(), cpu_seconds(frazil.process)
        frazil.loaded(topic, timeout=400)
        took, cpu = time.perf_counter() - begin, cpu_seconds(frazil.process) - cpu
        figures = [Figure(f"first load, {options.seen:,} records in {PARTITIONS} partitions", took, "s"),
                   Figure("first load: all that it does", options.seen / cpu / 1e6, "M records/CPU-s")]
        quiet, requested, seen = measured(frazil, topic, "quiet")
        if len(seen) != 1:
            raise RuntimeError(f"{topic}: {len(seen)} states of a table with nothing new")
        figures += quiet
        figures.append(Figure("quiet: fetches of all loads", requested, "requests", bar=0, at_most=True))
        with scene.loading(topic, schema_id, rate=BUSY_RATE, linger=5, partitions=PARTITIONS,
                           first=options.seen):
            time.sleep(1)
            busy, _, seen = measured(frazil, topic, "busy")
        if len(seen) < SECONDS * LOADS_A_SECOND // 2:
            raise RuntimeError(f"{topic}: only {len(seen)} states while records arrived")
        return figures + busy
