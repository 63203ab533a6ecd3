#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes fuzz/corpus from test/testdata: record batches as they are, messages behind two bytes that
pick message and version (message_fuzz.cc)."""
import json
import pathlib
import shutil

HERE = pathlib.Path(__file__).parent
TESTDATA = HERE.parent / "test" / "testdata"
MESSAGES = ["api_versions_request", "api_versions_response", "metadata_request",
            "metadata_response", "list_offsets_request", "list_offsets_response",
            "fetch_request", "fetch_response", "request_header", "offset_for_leader_epoch_request",
            "offset_for_leader_epoch_response", "describe_configs_request",
            "describe_configs_response", "describe_producers_request",
            "describe_producers_response"]

batches = HERE / "corpus" / "record_batch"
messages = HERE / "corpus" / "message"
compressed = HERE / "corpus" / "compression"
for folder in (batches, messages, compressed):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
for path in sorted(TESTDATA.glob("*.bin")):
    shutil.copyfile(path, batches / path.name)
for path in sorted(TESTDATA.glob("*.bin")):
    data = path.read_bytes()
    codec = data[22] & 7
    if codec != 0:  # the first batch's records, behind a byte that picks the codec (compression_fuzz.cc)
        end = 12 + int.from_bytes(data[8:12], "big")
        (compressed / path.name).write_bytes(bytes([codec - 1]) + data[61:end])
golden = json.loads((TESTDATA / "messages.json").read_text())
for number, name in enumerate(MESSAGES):
    if name not in golden:
        continue
    versions = sorted(golden[name], key=int)
    for version in versions:
        picked = bytes([number, int(version) - int(versions[0])])
        (messages / f"{name}_v{version}").write_bytes(picked + bytes.fromhex(golden[name][version]))
header = bytes.fromhex("0002000600000009000166" "00")
picked = bytes([MESSAGES.index("request_header"), 0])
(messages / "request_header").write_bytes(picked + header)
