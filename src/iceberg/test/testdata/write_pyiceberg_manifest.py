#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""write_pyiceberg_manifest.py: writes pyiceberg_manifest.avro beside itself, with PyIceberg."""

import pathlib

from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry
from pyiceberg.manifest import ManifestEntryStatus, write_manifest
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import FloatType, IntegerType, NestedField

PATH = pathlib.Path(__file__).parent / "pyiceberg_manifest.avro"
SNAPSHOT = 8744736658442914487
SCHEMA = Schema(NestedField(1, "a", IntegerType()), NestedField(2, "b", FloatType()), schema_id=4)
DATA_FILE = DataFile.from_args(
    content=DataFileContent.DATA, file_path="s3://bucket/table/data/file.parquet",
    file_format=FileFormat.PARQUET, partition=Record(), record_count=3, file_size_in_bytes=1234,
    column_sizes={1: 50, 2: 60}, value_counts={1: 3, 2: 3}, null_value_counts={1: 1, 2: 0},
    nan_value_counts={2: 2}, lower_bounds={1: b"\x01\0\0\0", 2: b"\0\0\0\0"},
    upper_bounds={1: b"\x02\0\0\0", 2: b"\0\0\x80\x3f"}, split_offsets=[4])
ENTRY = ManifestEntry.from_args(
    status=ManifestEntryStatus.EXISTING, snapshot_id=SNAPSHOT, sequence_number=1099511627779,
    file_sequence_number=7, data_file=DATA_FILE)

with write_manifest(
    format_version=2, spec=UNPARTITIONED_PARTITION_SPEC, schema=SCHEMA,
    output_file=PyArrowFileIO().new_output(str(PATH)), snapshot_id=SNAPSHOT,
    avro_compression="null",
) as writer:
    writer.existing(ENTRY)
