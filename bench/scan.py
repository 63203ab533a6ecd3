# SPDX-License-Identifier: Apache-2.0
"""A full scan of all value columns by DuckDB, against DuckDB on the same rows as JSON lines on disk.

The first scan finds a Frazil that has read nothing yet. Each scan after it is made by a new DuckDB, so
that only what Frazil keeps helps; its settings are the defaults, where files beyond 256 MB are not
kept but made again. JSON is read with its columns and types given, from the page cache. CPU time is
that of DuckDB and Frazil together, and tells more than the clock where the machine is not quiet.
"""

import contextlib
import os
import time

import duckdb

from harness.duckdb_client import DuckDb
from figures import Figure
from scene import Scene, cpu_seconds, median

PARTITIONS = 4
BAR = 3
SCANS = 3
# Of DuckDB, on both sides.
THREADS = os.cpu_count()
SCAN = ("SELECT count(*), sum(id), max(customer), sum(amount), max(ts), max(status), sum(qty), "
        "count(note), max(note), max(price) FROM {}")
COLUMNS = {"id": "BIGINT", "customer": "VARCHAR", "amount": "DECIMAL(10,2)", "ts": "TIMESTAMPTZ",
           "status": "VARCHAR", "qty": "INTEGER", "note": "VARCHAR", "price": "DOUBLE"}


def timed(execute, source):
    """Seconds, CPU-seconds of this process, which DuckDB runs in, and the answer."""
    begin, cpu = time.perf_counter(), time.process_time()
    answer = execute(SCAN.format(source)).fetchall()
    return time.perf_counter() - begin, time.process_time() - cpu, answer


def scan_table(frazil, topic):
    with DuckDb(frazil.url, THREADS) as duck:
        return timed(duck.execute, f"frazil.speed.{topic}")


def scan_json(path):
    columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
    source = f"read_json('{path}', format = 'newline_delimited', columns = {{{columns}}})"
    with contextlib.closing(duckdb.connect()) as connection:
        connection.execute(f"SET TimeZone = 'UTC'; SET threads = {THREADS}")
        return timed(connection.execute, source)


def export_json(frazil, topic, path):
    with DuckDb(frazil.url) as duck:
        duck.execute(f"COPY (SELECT {', '.join(COLUMNS)} FROM frazil.speed.{topic}) TO '{path}' "
                     "(FORMAT json)")


def served_bytes(frazil):
    return frazil.metric("frazil_http_response_bytes_total")


def measure(options, folder):
    with Scene(folder) as scene:
        topic, records = "scanned", options.scan
        schema_id = scene.make_topic(topic, partitions=PARTITIONS)
        scene.load(topic, schema_id, records=records, partitions=PARTITIONS)
        frazil = scene.frazil(topic)
        cpu = cpu_seconds(frazil.process)
        first, _, answer = scan_table(frazil, topic)
        first_cpu = cpu_seconds(frazil.process) - cpu
        if answer[0][0] != records:
            raise RuntimeError(f"{topic}: {answer[0][0]} rows instead of {records}")
        path = scene.folder / "rows.json"
        export_json(frazil, topic, path)
        cpu, served = cpu_seconds(frazil.process), served_bytes(frazil)
        later, from_json = [], []
        for _ in range(SCANS):
            later.append(scan_table(frazil, topic))
            from_json.append(scan_json(path))
        cpu, served = cpu_seconds(frazil.process) - cpu, served_bytes(frazil) - served
        if any(scanned[2] != answer for scanned in later + from_json):
            raise RuntimeError(f"scans of {topic} differ")
        json_bytes = path.stat().st_size
    clocks = [[scanned[0] for scanned in scans] for scans in (later, from_json)]
    engines = [sum(scanned[1] for scanned in scans) / SCANS for scans in (later, from_json)]
    return [
        Figure(f"first scan of {records:,} rows, indexing them", first, "s"),
        Figure("first scan: all that Frazil does", records / first_cpu / 1e6, "M records/CPU-s"),
        Figure("second scan", min(clocks[0]), "s", median(clocks[0])),
        Figure(f"the same rows as JSON lines, {json_bytes / 1e6:,.0f} MB", min(clocks[1]), "s",
               median(clocks[1])),
        Figure("second scan, times as fast as JSON", min(clocks[1]) / min(clocks[0]), "x",
               median(clocks[1]) / median(clocks[0]), BAR),
        Figure("first scan, times as fast as JSON", min(clocks[1]) / first, "x"),
        Figure("second scan, DuckDB and Frazil", engines[0] + cpu / SCANS, "CPU-s"),
        Figure("JSON, DuckDB", engines[1], "CPU-s"),
        Figure("CPU of Frazil, second scans", 1e9 * cpu / served, "CPU-s/GB served"),
        Figure("bytes served, a second scan", served / SCANS / 1e6, "MB"),
    ]
