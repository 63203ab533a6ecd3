#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many clients read large files at once from a server with little memory.

usage: .deps/venv/bin/python tests/torture/memory.py [--bytes N] [--chunk N] [--limit N]
                                                     [--readers N] [--stalled N]

A topic larger than the server's memory-limit is loaded, then every reader reads files whole, others
begin to and stop reading. Checked: the server's peak memory (VmHWM) stays below the limit and
256 MiB; every read ends with the right bytes (those of every other read, and every record of the
topic exactly once); health and metrics are answered at once; the process lives.
"""

import argparse
import collections
import dataclasses
import hashlib
import io
import pathlib
import random
import socket
import sys
import tempfile
import threading
import time
import urllib.parse

import botocore.config
import botocore.exceptions
import fastavro
import pyarrow.compute
import pyarrow.parquet
import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from harness.frazil import Frazil  # noqa: E402
from harness.services import Kafka, Registry  # noqa: E402
from harness.topics import Topic  # noqa: E402
from harness.warehouse import Warehouse, s3_client, split  # noqa: E402

TOPIC = "large"
PARTITIONS = 8
RECORD_BYTES = 32 << 10
MIB = 1 << 20
DEFAULT_LIMIT = 1 << 30
# What the process needs beside the limit: code, threads, sockets, the allocator's slack.
SLACK = 256 * MIB
QUICK_SECONDS = 2.0
READ_SECONDS = 600
SCHEMA = {"type": "record", "name": "Large",
          "fields": [{"name": "id", "type": "long"}, {"name": "payload", "type": "string"}]}
FILLER = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=RECORD_BYTES - 16))


class Run:
    """What the threads share."""

    def __init__(self):
        self._lock = threading.Lock()
        self.done = threading.Event()
        self.faults = []
        self.digests = collections.defaultdict(set)
        self.counts = collections.Counter()
        self.slowest = 0.0

    def fault(self, text):
        with self._lock:
            self.faults.append(text)

    def take(self, key, digest, size):
        with self._lock:
            self.digests[key].add(digest)
            self.counts["reads"] += 1
            self.counts["bytes"] += size

    def count(self, what):
        with self._lock:
            self.counts[what] += 1


def guarded(function):
    def run(state, *arguments):
        try:
            function(state, *arguments)
        except Exception as error:
            state.fault(f"{function.__name__}: {error!r}")
    return run


@dataclasses.dataclass
class File:
    key: str
    size: int
    rows: int


def produce(topic, count):
    for number in range(count):
        topic.send({"id": number, "payload": f"{number:016d}{FILLER}"}, partition=number % PARTITIONS)
    topic.flush()


def data_files(loaded):
    """Those of the current snapshot."""
    warehouse = Warehouse(loaded)
    metadata = loaded["metadata"]
    snapshot = next(snapshot for snapshot in metadata["snapshots"]
                    if snapshot["snapshot-id"] == metadata["current-snapshot-id"])
    files = []
    for manifest in fastavro.reader(io.BytesIO(warehouse.read(snapshot["manifest-list"]))):
        for entry in fastavro.reader(io.BytesIO(warehouse.read(manifest["manifest_path"]))):
            file = entry["data_file"]
            files.append(File(split(file["file_path"])[1], file["file_size_in_bytes"],
                              file["record_count"]))
    return files


def patient_client(loaded):
    """Waits as long as an engine that is in no hurry; being told to slow down is no fault."""
    return s3_client(loaded, config=botocore.config.Config(
        s3={"addressing_style": "path"}, read_timeout=READ_SECONDS, connect_timeout=60,
        max_pool_connections=1, retries={"max_attempts": 1}))


def read_file(state, client, file):
    """The whole file's SHA-256."""
    until = time.monotonic() + READ_SECONDS
    while True:
        try:
            body = client.get_object(Bucket="frazil", Key=file.key)["Body"]
            digest, size = hashlib.sha256(), 0
            for part in body.iter_chunks(MIB):
                digest.update(part)
                size += len(part)
            if size != file.size:
                state.fault(f"{size} bytes instead of {file.size}: {file.key}")
            return digest.hexdigest()
        except botocore.exceptions.ClientError as error:
            code = error.response["Error"]["Code"]
            if code not in ("SlowDown", "ServiceUnavailable") or time.monotonic() > until:
                raise
            state.count("told to slow down")
            time.sleep(1)


@guarded
def read_some(state, loaded, files, seed, barrier):
    client = patient_client(loaded)
    chance = random.Random(seed)
    barrier.wait()
    for file in chance.sample(files, min(2, len(files))):
        state.take(file.key, read_file(state, client, file), file.size)


@guarded
def stall(state, loaded, file, barrier):
    """Asks for a file, reads its first bytes, and nothing more until all others are done."""
    url = s3_client(loaded).generate_presigned_url(
        "get_object", Params={"Bucket": "frazil", "Key": file.key}, ExpiresIn=3600)
    parts = urllib.parse.urlsplit(url)
    barrier.wait()
    with socket.create_connection((parts.hostname, parts.port), timeout=READ_SECONDS) as connection:
        connection.sendall(f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
                           .encode())
        connection.recv(1000)
        state.count("stalled")
        state.done.wait()


@guarded
def watch_health(state, frazil):
    with requests.Session() as session:
        while not state.done.is_set():
            for path in ("/healthz", "/metrics", "/v1/config"):
                begin = time.monotonic()
                answer = session.get(frazil.url + path, timeout=60)
                took = time.monotonic() - begin
                state.slowest = max(state.slowest, took)
                if answer.status_code != 200:
                    state.fault(f"{path} answers {answer.status_code}")
            state.count("probes")
            time.sleep(0.1)


def peak_memory(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) << 10 for line in status.splitlines()
                if line.startswith("VmHWM:"))


def check_records(state, loaded, files, count):
    """Every record once, and whole."""
    client = patient_client(loaded)
    ids = []
    for file in files:
        body = client.get_object(Bucket="frazil", Key=file.key)["Body"].read()
        digest = hashlib.sha256(body).hexdigest()
        if state.digests.get(file.key, {digest}) != {digest}:
            state.fault(f"reads differ: {file.key}")
        table = pyarrow.parquet.read_table(io.BytesIO(body), columns=["id", "payload"])
        if table.num_rows != file.rows:
            state.fault(f"{table.num_rows} rows instead of {file.rows}: {file.key}")
        ids += table["id"].to_pylist()
        payload = table["payload"]
        numbers = pyarrow.compute.utf8_slice_codeunits(payload, 0, 16).cast("int64")
        if numbers != table["id"]:
            state.fault(f"payloads of other records: {file.key}")
        fillers = pyarrow.compute.unique(pyarrow.compute.utf8_slice_codeunits(payload, 16))
        if fillers.to_pylist() != [FILLER]:
            state.fault(f"payloads are not as they were: {file.key}")
    if sorted(ids) != list(range(count)):
        state.fault(f"{len(ids)} records, {len(set(ids))} distinct, instead of {count}")


def read_all(state, frazil, loaded, files, options):
    barrier = threading.Barrier(options.readers + options.stalled)
    readers = [threading.Thread(target=read_some, args=(state, loaded, files, seed, barrier))
               for seed in range(options.readers)]
    others = [threading.Thread(target=stall, args=(state, loaded, files[i % len(files)], barrier))
              for i in range(options.stalled)]
    others.append(threading.Thread(target=watch_health, args=(state, frazil)))
    for thread in readers + others:
        thread.start()
    for thread in readers:
        thread.join()
    state.done.set()
    for thread in others:
        thread.join()


def run(options, folder):
    """The faults, after a line that says what was measured."""
    state = Run()
    kafka, registry = Kafka(folder / "kafka"), Registry(folder / "registry")
    frazil = None
    try:
        kafka.start()
        registry.start()
        count = options.bytes // RECORD_BYTES
        produce(Topic(kafka.address, registry, TOPIC, schema=SCHEMA, partitions=PARTITIONS), count)
        limit = ["--memory-limit", str(options.limit)] if options.limit != DEFAULT_LIMIT else []
        frazil = Frazil(kafka.address, registry.url, [TOPIC], folder / "data", extra=[
            "--chunk-bytes", str(options.chunk), "--load-timeout", "10min",
            *limit]).start()
        begin = time.monotonic()
        loaded = frazil.loaded(TOPIC, timeout=READ_SECONDS)
        loading = time.monotonic() - begin
        files = data_files(loaded)
        after_load = peak_memory(frazil.process)
        begin = time.monotonic()
        read_all(state, frazil, loaded, files, options)
        reading = time.monotonic() - begin
        check_records(state, loaded, files, count)
        peak = peak_memory(frazil.process)
        if peak > options.limit + SLACK:
            state.fault(f"peak memory {peak // MIB} MiB with a limit of {options.limit // MIB} MiB")
        if state.slowest > QUICK_SECONDS:
            state.fault(f"a probe took {state.slowest:.1f} s")
        if state.counts["stalled"] != options.stalled:
            state.fault(f"{state.counts['stalled']} of {options.stalled} began to read and stopped")
        print(f"{len(files)} files of at most {max(file.size for file in files) // MIB} MiB; loaded "
              f"in {loading:.1f} s, {state.counts['reads']} reads in {reading:.1f} s "
              f"({state.counts['bytes'] / MIB / max(reading, 0.001):.0f} MiB/s), told to slow down "
              f"{state.counts['told to slow down']} times; slowest probe {state.slowest:.2f} s; peak "
              f"memory {after_load // MIB} MiB after the load, {peak // MIB} MiB at the end, limit "
              f"{options.limit // MIB} MiB", flush=True)
        if state.faults:
            print(f"the end of frazil's log:\n{frazil.tail()}")
        return state.faults
    finally:
        if frazil:
            frazil.kill()
        kafka.wipe()
        registry.wipe()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=3 << 30)
    parser.add_argument("--chunk", type=int, default=80 * MIB)
    parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT)
    parser.add_argument("--readers", type=int, default=64)
    parser.add_argument("--stalled", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = run(options, pathlib.Path(folder))
    for fault in faults[:20]:
        print(f"FAULT: {fault}")
    print("memory FAILED" if faults else "memory passed")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
