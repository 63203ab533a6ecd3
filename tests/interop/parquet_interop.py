#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other readers read the chunk encoder's sample files, value by value.

    python3 tests/interop/parquet_interop.py build/parquet_sample_writer

The program writes sample files and, beside each, the values as JSON, which no Parquet or Arrow code
has touched. pyarrow, DuckDB and Polars must find exactly those: NaN, both zeros, NULLs, empty texts,
decimals to the last digit, zone flags, nested lists, structs and maps. PyIceberg must find the
Iceberg schema, field ids included. Needs what tests/requirements.txt lists.
"""

import decimal
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import uuid

import duckdb
import polars
import pyarrow
import pyarrow.parquet
from pyiceberg.io.pyarrow import pyarrow_to_schema
from pyiceberg.schema import Schema


def real(value, form):
    """A float as its bits, so that both zeros differ; every NaN is one."""
    return "NaN" if value != value else struct.pack(form, value).hex()


def wanted_value(kind, value):
    """A value of the JSON file, by its Iceberg type, in the form that found_value gives."""
    if value is None:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "struct":
            return [(field["name"], wanted_value(field["type"], value[field["name"]]))
                    for field in kind["fields"]]
        if kind["type"] == "list":
            return [wanted_value(kind["element"], element) for element in value]
        return [(wanted_value(kind["key"], key), wanted_value(kind["value"], item))
                for key, item in value]
    if kind == "float":
        return real(value, "<f")
    if kind == "double":
        return real(value, "<d")
    if kind.startswith("decimal"):
        return decimal.Decimal(value)
    if kind in ("binary", "uuid") or kind.startswith("fixed"):
        return value.encode("ascii")
    return value


def found_value(kind, scalar):
    """A pyarrow scalar from any reader, by the Iceberg type that it should have."""
    if not scalar.is_valid:
        return None
    if isinstance(scalar, pyarrow.ExtensionScalar):
        scalar = scalar.value
    if isinstance(kind, dict):
        if kind["type"] == "struct":
            return [(field["name"], found_value(field["type"], scalar[field["name"]]))
                    for field in kind["fields"]]
        if kind["type"] == "list":
            return [found_value(kind["element"], element) for element in scalar.values]
        # A map is a list of structs of a key and a value, whether a reader calls it a map or not.
        return [(found_value(kind["key"], entry[0]), found_value(kind["value"], entry[1]))
                for entry in scalar.values]
    if kind == "float":
        return real(scalar.as_py(), "<f")
    if kind == "double":
        return real(scalar.as_py(), "<d")
    if kind == "date":
        return scalar.value
    if kind == "time":
        return scalar.value if scalar.type.unit == "us" else scalar.value / 1000
    if kind.startswith("timestamp"):
        assert scalar.type.unit == "us", scalar.type
        assert (scalar.type.tz is not None) == (kind == "timestamptz"), scalar.type
        return scalar.value
    if kind == "uuid" and pyarrow.types.is_string(scalar.type):
        return uuid.UUID(scalar.as_py()).bytes
    return scalar.as_py()


def read_pyarrow(path):
    return pyarrow.parquet.read_table(path)


def read_duckdb(path):
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).to_arrow_table()


def read_polars(path):
    return polars.read_parquet(path).to_arrow()


def compare(path, schema, columns):
    """The differences that readers find in one file."""
    wanted = [[wanted_value(field["type"], value) for value in column]
              for field, column in zip(schema["fields"], columns, strict=True)]
    for reader in (read_pyarrow, read_duckdb, read_polars):
        name = f"{path.stem}, {reader.__name__}"
        try:
            table = reader(path)
        except Exception as error:  # whatever a reader throws is the finding
            yield f"{name}: {type(error).__name__}: {error}"
            continue
        if table.column_names != [field["name"] for field in schema["fields"]]:
            yield f"{name}: columns {table.column_names}"
            continue
        for field, values in zip(schema["fields"], wanted, strict=True):
            found = [found_value(field["type"], scalar) for scalar in table[field["name"]]]
            if found == values:
                continue
            if len(found) != len(values):
                yield f"{name}, {field['name']}: {len(found)} rows for {len(values)}"
                continue
            row = next(i for i, pair in enumerate(zip(found, values)) if pair[0] != pair[1])
            yield (f"{name}, {field['name']} {field['type']}, row {row}: "
                   f"wanted {values[row]!r}, found {found[row]!r}")


def strip_docs(value):
    if isinstance(value, dict):
        return {key: strip_docs(item) for key, item in value.items() if key != "doc"}
    return [strip_docs(item) for item in value] if isinstance(value, list) else value


def check_schema(path, schema):
    """The differences of the file's own schema from the Iceberg one."""
    file = pyarrow.parquet.ParquetFile(path)
    found = strip_docs(json.loads(pyarrow_to_schema(file.schema_arrow).model_dump_json()))
    wanted = strip_docs(json.loads(Schema.model_validate(schema).model_dump_json()))
    if found["fields"] != wanted["fields"]:
        yield f"{path.stem}: PyIceberg finds {found['fields']}\nfor {wanted['fields']}"
    for i in range(len(file.schema)):
        column = file.schema.column(i)
        if column.physical_type == "INT96":
            yield f"{path.stem}, {column.path}: INT96"
        if column.logical_type.type in ("TIMESTAMP", "TIME"):
            flags = json.loads(column.logical_type.to_json())
            if flags["timeUnit"] != "microseconds":
                yield f"{path.stem}, {column.path}: {flags}"
            if column.logical_type.type == "TIME" and flags["isAdjustedToUTC"]:
                yield f"{path.stem}, {column.path}: {flags}"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        paths = sorted(pathlib.Path(folder).glob("*.parquet"))
        differences = []
        for path in paths:
            sample = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            differences += check_schema(path, sample["schema"])
            differences += compare(path, sample["schema"], sample["columns"])
    for difference in differences:
        print(difference)
    print(f"{len(paths)} files, three readers, {len(differences)} differences")
    return 1 if differences or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
