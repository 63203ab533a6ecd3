#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes fuzz/corpus/broker_message from test/testdata: bodies behind two bytes that pick message and
version (broker_message_fuzz.cc)."""
import json
import pathlib
import shutil

HERE = pathlib.Path(__file__).parent
APIS = ["produce", "init_producer_id", "create_topics", "delete_topics", "create_partitions",
        "delete_records", "find_coordinator", "offset_commit", "offset_fetch"]

messages = HERE / "corpus" / "broker_message"
shutil.rmtree(messages, ignore_errors=True)
messages.mkdir(parents=True)
golden = json.loads((HERE.parent / "test" / "testdata" / "broker_messages.json").read_text())
names = [f"{api}_{kind}" for api in APIS for kind in ("request", "response")]
for number, name in enumerate(names):
    versions = sorted(golden[name], key=int)
    for version in versions:
        picked = bytes([number, int(version) - int(versions[0])])
        (messages / f"{name}_v{version}").write_bytes(picked + bytes.fromhex(golden[name][version]))
