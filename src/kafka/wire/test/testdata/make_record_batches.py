#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the *.bin files beside it and expected.json; README.md tells what they are.

usage: make_record_batches.py built          batches that kafka-python builds
       make_record_batches.py read FILE...   describes segment files of a broker's log
Needs kafka-python, lz4, python-snappy and zstandard. Existing entries of expected.json are kept.
"""
import json
import pathlib
import sys

import snappy
from kafka.record import default_records
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords

HERE = pathlib.Path(__file__).parent
CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]


def text(value):
    return None if value is None else value.hex()


def describe(data):
    batches = []
    reader = MemoryRecords(data)
    while reader.has_next():
        batch = reader.next_batch()
        records = [
            {
                "offset": record.offset,
                "timestamp": record.timestamp,
                "key": text(record.key),
                "value": text(record.value),
                "headers": [[key.encode().hex(), text(value)] for key, value in record.headers],
            }
            for record in batch
        ]
        batches.append(
            {
                "base_offset": batch.base_offset,
                "last_offset": batch.base_offset + batch.last_offset_delta,
                "codec": CODECS[batch.compression_type],
                "transactional": batch.is_transactional,
                "control": batch.is_control_batch,
                "producer_id": batch.producer_id,
                "records": records,
            }
        )
    return batches


def build(codec, producer, records):
    builder = DefaultRecordBatchBuilder(
        magic=2, compression_type=codec, is_transactional=producer is not None,
        producer_id=-1 if producer is None else producer, producer_epoch=-1 if producer is None else 3,
        base_sequence=-1 if producer is None else 7, batch_size=1 << 20)
    for offset, (timestamp, key, value, headers) in enumerate(records):
        builder.append(offset, timestamp, key, value, headers)
    return bytes(builder.build())


def built():
    mixed = [
        (1700000000000, b"k0", b"value", []),
        (1700000000007, None, b"", [("h", b"1"), ("", None), ("empty", b"")]),
        (1699999999999, b"", None, []),
        (1700000000001, b"k\x00\xff", bytes(range(256)), [("\u00e9", b"\x00" * 70)]),
    ]
    yield "plain.bin", build(0, None, mixed)
    yield "lz4.bin", build(3, None, mixed)
    yield "transactional.bin", build(0, 4711, mixed)
    yield "no_timestamp.bin", build(0, None, [(-1, None, b"v", [])])
    many = [(1700000000000 + i, b"key-%d" % i, b"x" * (i * 5), []) for i in range(60)]
    yield "many_lz4.bin", build(3, None, many)
    yield "gzip.bin", build(1, None, mixed)
    yield "snappy_framed.bin", build(2, None, many)
    framed, default_records.snappy_encode = default_records.snappy_encode, snappy.compress
    yield "snappy_raw.bin", build(2, None, many)
    default_records.snappy_encode = framed
    yield "zstd.bin", build(4, None, many)


def main():
    target = HERE / "expected.json"
    expected = json.loads(target.read_text()) if target.exists() else {}
    if sys.argv[1] == "built":
        for name, data in built():
            (HERE / name).write_bytes(data)
            expected[name] = describe(data)
    else:
        for name in sys.argv[2:]:
            path = pathlib.Path(name)
            # The broker fills a segment up with zeros only on disk errors; none is cut here.
            expected[path.name] = describe(path.read_bytes())
    target.write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


main()
