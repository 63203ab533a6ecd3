# SPDX-License-Identifier: Apache-2.0
"""Many clients read large files at once, others begin to and stop; what the server's memory peaks at.
"""

import collections
import dataclasses
import hashlib
import io
import pathlib
import random
import socket
import threading
import time
import urllib.parse

import botocore.config
import botocore.exceptions
import fastavro
import pyarrow.compute
import pyarrow.parquet
import requests

from harness.warehouse import Warehouse, s3_client, split

PARTITIONS = 8
RECORD_BYTES = 32 << 10
MIB = 1 << 20
# What the process needs beside the limit: code, threads, sockets, the allocator's slack.
SLACK = 256 * MIB
READ_SECONDS = 600
SCHEMA = {"type": "record", "name": "Large",
          "fields": [{"name": "id", "type": "long"}, {"name": "payload", "type": "string"}]}
FILLER = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=RECORD_BYTES - 16))


class Run:
    """What the threads share, and what was measured."""

    def __init__(self):
        self._lock = threading.Lock()
        self.done = threading.Event()
        self.faults = []
        self.digests = collections.defaultdict(set)
        self.counts = collections.Counter()
        self.files = []
        # Seconds.
        self.slowest = 0.0
        self.loading = 0.0
        self.reading = 0.0
        # Bytes, at most until then.
        self.after_load = 0
        self.peak = 0

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


def produce(topic, size):
    """The number of records."""
    count = size // RECORD_BYTES
    for number in range(count):
        topic.send({"id": number, "payload": f"{number:016d}{FILLER}"}, partition=number % PARTITIONS)
    topic.flush()
    return count


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


def check_records(state, loaded, count):
    """Every record once, and whole."""
    client = patient_client(loaded)
    ids = []
    for file in state.files:
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


def read_all(state, frazil, loaded, readers, stalled):
    files = state.files
    barrier = threading.Barrier(readers + stalled)
    ending = [threading.Thread(target=read_some, args=(state, loaded, files, seed, barrier))
              for seed in range(readers)]
    others = [threading.Thread(target=stall, args=(state, loaded, files[i % len(files)], barrier))
              for i in range(stalled)]
    others.append(threading.Thread(target=watch_health, args=(state, frazil)))
    for thread in ending + others:
        thread.start()
    for thread in ending:
        thread.join()
    state.done.set()
    for thread in others:
        thread.join()


def measure(frazil, table, count, limit, readers, stalled):
    """Loads the table, which holds so many records of produce(), and reads it: a Run. Its faults tell
    what was wrong, memory beyond `limit` and SLACK too."""
    state = Run()
    begin = time.monotonic()
    loaded = frazil.loaded(table, timeout=READ_SECONDS)
    state.loading = time.monotonic() - begin
    state.files = data_files(loaded)
    state.after_load = peak_memory(frazil.process)
    begin = time.monotonic()
    read_all(state, frazil, loaded, readers, stalled)
    state.reading = time.monotonic() - begin
    check_records(state, loaded, count)
    state.peak = peak_memory(frazil.process)
    if state.peak > limit + SLACK:
        state.fault(f"peak memory {state.peak // MIB} MiB with a limit of {limit // MIB} MiB")
    if state.counts["stalled"] != stalled:
        state.fault(f"{state.counts['stalled']} of {stalled} began to read and stopped")
    return state
