#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what Frazil's iceberg module writes with software that is not Frazil's.

    manifest_interop.py ICEBERG_SAMPLES

ICEBERG_SAMPLES is the built program iceberg_samples; it writes its files into a fresh folder.
fastavro and PyIceberg then read them, and each field is compared with the values that went in.
Needs: fastavro, pyiceberg[pyarrow]. Exit status: 0 when all agree, 1 when something differs.
"""

import decimal
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import uuid

import fastavro
from pyiceberg.catalog.rest import (
    ConfigResponse,
    ListNamespaceResponse,
    ListTablesResponse,
    NamespaceResponse,
    TableResponse,
)
from pyiceberg.catalog.rest.response import ErrorResponse
from pyiceberg.conversions import from_bytes
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import DataFileContent, FileFormat, ManifestContent, ManifestFile
from pyiceberg.manifest import read_manifest_list
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadataUtil

MAPS = (
    "column_sizes",
    "value_counts",
    "null_value_counts",
    "nan_value_counts",
    "lower_bounds",
    "upper_bounds",
)

# The bounds that the samples were given, as PyIceberg shows values: field id -> (lower, upper).
# Kept apart from the program, so that a wrong encoding cannot agree with itself.
BOUNDS = {
    1: (-(2**63), 9007199254740993),
    2: (False, True),
    3: (-7, 2147483647),
    4: (-1.5, 0.0),
    6: (decimal.Decimal("-1234567890123.456789012"), decimal.Decimal("0.000000005")),
    7: (-1, 20000),
    8: (0, 86399999999),
    9: (-1, 1709208000000000),
    10: (0, 1709208000000001),
    11: ("a" * 15 + "\u2019", "a" * 15 + "\u201a"),
    12: (
        uuid.UUID("00010203-0405-0607-0809-0a0b0c0d0e0f"),
        uuid.UUID("ff010203-0405-0607-0809-0a0b0c0d0e0f"),
    ),
    13: (b"\x00\x00\x00\x01", b"\xff\xff\xff\xfe"),
    14: (b"A" * 16, b"A" * 15 + b"B"),
    16: ("", "z"),
    17: (0, 0),
    23: (1, 1),
}

failures = []


def check(what, got, wanted):
    if got != wanted or type(got) is bool and type(wanted) is not bool:
        failures.append(f"{what}: got {got!r}, wanted {wanted!r}")


def as_map(pairs, is_bytes):
    return {key: bytes.fromhex(value) if is_bytes else value for key, value in pairs}


def check_entry(what, entry, data_file, wanted):
    """`entry` and `data_file` give attributes by name."""
    for name in ("status", "snapshot_id", "sequence_number", "file_sequence_number"):
        check(f"{what}.{name}", entry(name), wanted[name])
    for name in ("file_path", "record_count", "file_size_in_bytes"):
        check(f"{what}.{name}", data_file(name), wanted[name])
    for name in MAPS:
        check(f"{what}.{name}", data_file(name), as_map(wanted[name], name.endswith("bounds")))
    for name in ("key_metadata", "split_offsets", "equality_ids"):
        check(f"{what}.{name}", data_file(name), None)
    check(f"{what}.sort_order_id", data_file("sort_order_id"), 0)


def pairs_to_map(value):
    """fastavro shows a map with integer keys as it is stored: a list of pairs."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return {item["key"]: item["value"] for item in value}
    return value


def check_manifest_with_fastavro(folder, expected):
    with open(folder / "manifest.avro", "rb") as file:
        reader = fastavro.reader(file)
        check("manifest header", sorted(reader.metadata), sorted([
            "avro.schema", "avro.codec", "schema", "schema-id", "partition-spec",
            "partition-spec-id", "format-version", "content"]))
        for key, wanted in (("schema-id", "1"), ("partition-spec", "[]"),
                            ("partition-spec-id", "0"), ("format-version", "2"),
                            ("content", "data"), ("avro.codec", "null")):
            check(f"manifest header {key}", reader.metadata[key], wanted)
        check("manifest header schema", json.loads(reader.metadata["schema"]),
              json.loads((folder / "schema.json").read_text("utf-8")))
        records = list(reader)
    check("entries (fastavro)", len(records), len(expected))
    for i, (record, wanted) in enumerate(zip(records, expected)):
        data_file = record["data_file"]
        check_entry(f"fastavro entry {i}", record.get,
                    lambda name, data_file=data_file: pairs_to_map(data_file[name]), wanted)
        check(f"fastavro entry {i}.content", data_file["content"], 0)
        check(f"fastavro entry {i}.file_format", data_file["file_format"], "PARQUET")
        check(f"fastavro entry {i}.partition", data_file["partition"], {})


def pyiceberg_manifest(path):
    return ManifestFile.from_args(
        manifest_path=str(path), manifest_length=path.stat().st_size, partition_spec_id=0,
        content=ManifestContent.DATA, sequence_number=5, min_sequence_number=1,
        added_snapshot_id=1, added_files_count=1, existing_files_count=1, deleted_files_count=1,
        added_rows_count=1, existing_rows_count=1, deleted_rows_count=1)


def check_manifest_with_pyiceberg(folder, expected):
    file_io = PyArrowFileIO()
    entries = pyiceberg_manifest(folder / "manifest.avro").fetch_manifest_entry(
        file_io, discard_deleted=False)
    check("entries (pyiceberg)", len(entries), len(expected))
    for i, (entry, wanted) in enumerate(zip(entries, expected)):
        data_file = entry.data_file
        check_entry(f"pyiceberg entry {i}", lambda name, entry=entry: getattr(entry, name),
                    lambda name, data_file=data_file: getattr(data_file, name), wanted)
        check(f"pyiceberg entry {i}.content", data_file.content, DataFileContent.DATA)
        check(f"pyiceberg entry {i}.file_format", data_file.file_format, FileFormat.PARQUET)
        check(f"pyiceberg entry {i}.partition", len(data_file.partition), 0)
    empty = pyiceberg_manifest(folder / "empty_manifest.avro").fetch_manifest_entry(file_io)
    check("entries of the empty manifest", empty, [])
    check_bounds(folder, entries[0].data_file)


def check_bounds(folder, data_file):
    schema = Schema.model_validate_json((folder / "schema.json").read_text("utf-8"))
    for side, bounds in enumerate((data_file.lower_bounds, data_file.upper_bounds)):
        check("columns with bounds", sorted(bounds), sorted(BOUNDS))
        for field_id, value in bounds.items():
            decoded = from_bytes(schema.find_type(field_id), value)
            if isinstance(decoded, bytes) and isinstance(BOUNDS[field_id][side], uuid.UUID):
                decoded = uuid.UUID(bytes=decoded)
            check(f"bound {side} of column {field_id}", decoded, BOUNDS[field_id][side])
    check("sign of zero", math.copysign(1, from_bytes(schema.find_type(4),
                                                      data_file.upper_bounds[4])), 1.0)


def check_manifest_list(folder, expected):
    with open(folder / "manifest_list.avro", "rb") as file:
        reader = fastavro.reader(file)
        header = {key: value for key, value in reader.metadata.items() if key != "avro.schema"}
        records = list(reader)
    check("manifest list header", header, {
        "avro.codec": "null", "snapshot-id": "8744736658442914487",
        "parent-snapshot-id": "9223372036854775807", "sequence-number": "1099511627779",
        "format-version": "2"})
    with open(folder / "first_manifest_list.avro", "rb") as file:
        reader = fastavro.reader(file)
        check("parent of the first list", reader.metadata["parent-snapshot-id"], "null")
        check("manifests of the first list", list(reader), [])
    file_io = PyArrowFileIO()
    manifests = list(read_manifest_list(file_io.new_input(str(folder / "manifest_list.avro"))))
    check("manifests (pyiceberg)", len(manifests), len(expected))
    check("manifests (fastavro)", len(records), len(expected))
    for i, (record, manifest, wanted) in enumerate(zip(records, manifests, expected)):
        for name, value in wanted.items():
            check(f"fastavro manifest {i}.{name}", record[name], value)
            check(f"pyiceberg manifest {i}.{name}", getattr(manifest, name), value)
        for name, value in (("content", 0), ("partition_spec_id", 0), ("partitions", []),
                            ("key_metadata", None)):
            check(f"fastavro manifest {i}.{name}", record[name], value)
            check(f"pyiceberg manifest {i}.{name}", getattr(manifest, name), value)


def check_metadata(folder):
    def parse(name):
        return TableMetadataUtil.parse_raw((folder / name).read_text("utf-8"))

    schema = Schema.model_validate_json((folder / "schema.json").read_text("utf-8"))
    for name, listed in (("metadata.json", [17, 2**63 - 1, 8744736658442914487]),
                         ("metadata_refs.json", [8744736658442914487])):
        metadata = parse(name)
        check(f"{name} snapshots", [s.snapshot_id for s in metadata.snapshots], listed)
        check(f"{name} current", metadata.current_snapshot_id, 8744736658442914487)
        check(f"{name} main", metadata.refs["main"].snapshot_id, 8744736658442914487)
        check(f"{name} schema", metadata.schema(), schema)
        check(f"{name} schema id", metadata.schema().schema_id, 1)
        check(f"{name} doc", metadata.schema().find_field(1).doc, 'the order\'s "number"\n')
        check(f"{name} column", metadata.schema().find_field(23).name, "数量.🚚")
        check(f"{name} sequence", metadata.last_sequence_number, 1099511627779)
        check(f"{name} last column", metadata.last_column_id, 23)
        check(f"{name} uuid", str(metadata.table_uuid), "8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1")
        check(f"{name} properties", metadata.properties, {
            "write.metadata.metrics.column.kafka_offset": "full", "comment": 'café "\\'})
        check(f"{name} spec", (metadata.spec().spec_id, metadata.spec().fields), (0, ()))
        check(f"{name} order", metadata.sort_order().order_id, 0)
        check(f"{name} log", len(metadata.snapshot_log), 3)
        check(f"{name} metadata log", len(metadata.metadata_log), 1)
        last = metadata.snapshots[-1]
        check(f"{name} parent", last.parent_snapshot_id, 2**63 - 1)
        check(f"{name} operation", last.summary.operation.value, "append")
        check(f"{name} total", last.summary["total-records"], "9007199254740993")
        check(f"{name} snapshot schema", last.schema_id, 1)
        check(f"{name} list", last.manifest_list,
              "s3://speed/shop/orders/metadata/snap-1099511627779.avro")
    empty = parse("empty_metadata.json")
    check("empty snapshots", (empty.snapshots, empty.current_snapshot_id, empty.refs), ([], None, {}))


def check_rest(folder):
    def parse(model, name):
        return model.model_validate_json((folder / name).read_text("utf-8"))

    error = parse(ErrorResponse, "error.json").error
    check("error", (error.message, error.type, error.code),
          ('no such table: "shop.€"', "NoSuchTableException", 404))
    config = parse(ConfigResponse, "config.json")
    check("config", (config.defaults, config.overrides), ({}, {"prefix": "speed"}))
    check("endpoints", len(config.endpoints or ()), 2)
    namespaces = parse(ListNamespaceResponse, "namespaces.json")
    check("namespaces", [tuple(n) for n in namespaces.namespaces], [("shop",), ("shop", "eu")])
    check("page token", json.loads((folder / "namespaces.json").read_text())["next-page-token"],
          "page-2")
    check("last namespaces", parse(ListNamespaceResponse, "last_namespaces.json").namespaces, [])
    namespace = parse(NamespaceResponse, "namespace.json")
    check("namespace", (tuple(namespace.namespace), namespace.properties),
          (("shop", "eu"), {"owner": "x"}))
    tables = parse(ListTablesResponse, "tables.json")
    check("tables", [(tuple(t.namespace), t.name) for t in tables.identifiers],
          [(("shop", "eu"), "orders"), (("shop", "eu"), "café")])
    table = parse(TableResponse, "table.json")
    check("table location", table.metadata_location,
          "s3://speed/shop/orders/metadata/00002-8f14.metadata.json")
    check("table metadata", table.metadata.current_snapshot_id, 8744736658442914487)
    check("table config", table.config,
          {"s3.endpoint": "http://127.0.0.1:9100/", "client.region": "us-east-1"})
    credentials = [{"prefix": "s3://speed/shop/orders/", "config": {"s3.access-key-id": "key"}},
                   {"prefix": "s3://batch/shop/orders/", "config": {}}]
    check("table credentials", json.loads((folder / "table.json").read_text("utf-8"))
          ["storage-credentials"], credentials)
    check("credentials", json.loads((folder / "credentials.json").read_text("utf-8")),
          {"storage-credentials": credentials})


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        check_manifest_with_fastavro(folder, expected["manifest.avro"])
        check_manifest_with_pyiceberg(folder, expected["manifest.avro"])
        check_manifest_list(folder, expected["manifest_list.avro"])
        check_metadata(folder)
        check_rest(folder)
    for failure in failures:
        print(f"DIFFERS {failure}", file=sys.stderr)
    print("manifest interop:", "FAILED" if failures else "all agree",
          f"(fastavro {fastavro.__version__})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
