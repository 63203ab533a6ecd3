#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes fuzz/corpus/broker_request: the requests of kafka/wire's test data behind their headers, each
alone, and as a conversation: create, produce, ask, fetch, delete."""
import json
import pathlib
import shutil
import struct

HERE = pathlib.Path(__file__).parent
TESTDATA = HERE.parents[1] / "wire" / "test" / "testdata"
# key, first version with tagged fields in the header
APIS = {"produce": (0, 9), "fetch": (1, 12), "list_offsets": (2, 6), "metadata": (3, 9),
        "offset_commit": (8, 8), "offset_fetch": (9, 6), "find_coordinator": (10, 3),
        "api_versions": (18, 3), "create_topics": (19, 5), "delete_topics": (20, 4),
        "delete_records": (21, 2), "init_producer_id": (22, 2),
        "offset_for_leader_epoch": (23, 4), "describe_configs": (32, 4),
        "create_partitions": (37, 2)}


def frame(api, version, body):
    key, first_flexible = APIS[api]
    tags = b"\0" if version >= first_flexible else b""
    content = struct.pack(">hhih1s", key, version, 5, 1, b"c") + tags + body
    return struct.pack(">H", len(content)) + content


def text(value):
    return struct.pack(">h", len(value)) + value


def main():
    corpus = HERE / "corpus" / "broker_request"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    golden = {}
    for name in ("messages.json", "broker_messages.json"):
        golden.update(json.loads((TESTDATA / name).read_text()))
    for api in APIS:
        for version, body in golden.get(f"{api}_request", {}).items():
            (corpus / f"{api}_v{version}").write_bytes(frame(api, int(version), bytes.fromhex(body)))
    batch = (TESTDATA / "plain.bin").read_bytes()
    length = 12 + struct.unpack(">i", batch[8:12])[0]
    records = batch[:length]
    topic = b"orders"
    one = struct.pack(">i", 1)
    create = (one + text(topic) + struct.pack(">ih", 2, 1) + struct.pack(">ii", 0, 0) +
              struct.pack(">i", 1000) + b"\0")
    produce = (struct.pack(">h", -1) + struct.pack(">hi", -1, 1000) + one + text(topic) + one +
               struct.pack(">ii", 0, len(records)) + records)
    fetch = (struct.pack(">iiiib", -1, 0, 1, 1 << 20, 1) + one + text(topic) + one +
             struct.pack(">iqi", 0, 0, 1 << 20))
    offsets = (struct.pack(">ib", -1, 1) + one + text(topic) + struct.pack(">i", 3) +
               b"".join(struct.pack(">iq", 0, time) for time in (-1, -2, 0)))
    delete = one + text(topic) + one + struct.pack(">iq", 0, 1) + struct.pack(">i", 9)
    conversation = (frame("create_topics", 2, create) + frame("produce", 3, produce) * 2 +
                    frame("list_offsets", 2, offsets) + frame("fetch", 4, fetch) +
                    frame("delete_records", 0, delete) + frame("fetch", 4, fetch))
    (corpus / "conversation").write_bytes(conversation)


main()
