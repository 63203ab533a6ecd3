#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_corpus.py: writes corpus/avro_container anew. Needs fastavro."""

import pathlib

import fastavro

FOLDER = pathlib.Path(__file__).parent / "corpus" / "avro_container"
RECORD = {"type": "record", "name": "R", "fields": [
    {"name": "n", "type": "long"}, {"name": "s", "type": ["null", "string"]},
    {"name": "d", "type": "double"}, {"name": "b", "type": "boolean"}]}
ROWS = [{"n": 2**62, "s": None, "d": 0.5, "b": True}, {"n": -3, "s": "text", "d": 1e300, "b": False}]


def write(name, schema, rows, **options):
    with open(FOLDER / name, "wb") as file:
        fastavro.writer(file, schema, rows, sync_marker=b"0123456789abcdef", **options)


FOLDER.mkdir(parents=True, exist_ok=True)
write("rows", RECORD, ROWS, metadata={"format-version": "2"})
write("no_rows", RECORD, [])
write("blocks", "int", [1, 2, 3], sync_interval=1)
write("deflate", RECORD, ROWS, codec="deflate")
