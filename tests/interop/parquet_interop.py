#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other readers read the chunk encoder's sample files, value by value.

    python3 tests/interop/parquet_interop.py build/parquet_sample_writer

The program writes sample files and, beside each, the values as JSON, which no Parquet or Arrow code
has touched. pyarrow, DuckDB and Polars must find exactly those: NaN, both zeros, NULLs, empty texts,
decimals to the last digit, zone flags, nested lists, structs and maps. PyIceberg must find the
Iceberg schema, field ids included. The counts and bounds that manifests would carry must be those
that pyarrow and DuckDB find by reading. And the program, as a process under other instruction sets,
thread counts and locales, must write the same bytes. Needs what tests/requirements.txt lists.
"""

import decimal
import functools
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import uuid

import duckdb
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
from pyiceberg.conversions import from_bytes
from pyiceberg.io.pyarrow import pyarrow_to_schema
from pyiceberg.schema import Schema
from pyiceberg.types import (BinaryType, DoubleType, FixedType, FloatType, ListType, MapType,
                             StringType, StructType, UUIDType)
from pyiceberg.utils.truncate import (truncate_upper_bound_binary_string,
                                      truncate_upper_bound_text_string)

BOUND_LENGTH = 16
# What may not change a byte (the names are Arrow's and OpenMP's).
ENVIRONMENTS = [{"ARROW_USER_SIMD_LEVEL": "NONE"},
                {"ARROW_USER_SIMD_LEVEL": "SSE4_2"},
                {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"},
                {"ARROW_DEFAULT_MEMORY_POOL": "system"},
                {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"}]


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


@functools.cache
def duckdb_connection():
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def query_duckdb(columns, path):
    return duckdb_connection().execute(f"SELECT {columns} FROM read_parquet(?)",
                                       [str(path)]).to_arrow_table()


def read_duckdb(path):
    return query_duckdb("*", path)


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


def leaves(fields, path=()):
    """(path, field) of every leaf with one value a row; those in lists and maps have no bounds."""
    for field in fields:
        if isinstance(field.field_type, StructType):
            yield from leaves(field.field_type.fields, (*path, field.name))
        elif not isinstance(field.field_type, (ListType, MapType)):
            yield (*path, field.name), field


def leaf_values(table, name):
    values = table[name[0]]
    for part in name[1:]:
        values = pyarrow.compute.struct_field(values, part)
    return list(values)


def extremes_duckdb(path, names):
    """DuckDB's own MIN and MAX, which it may answer from the file's statistics."""
    columns = []
    for name, is_real in names:
        column = ".".join(f'"{part}"' for part in name)
        numbers = f" FILTER (WHERE NOT isnan({column}))" if is_real else ""
        columns += [f"min({column}){numbers}", f"max({column}){numbers}"]
    return [column[0] for column in query_duckdb(", ".join(columns), path).columns]


def plain_value(kind, scalar):
    """As found_value, but floats stay numbers that can be compared."""
    if kind in ("float", "double"):
        return scalar.as_py() if scalar.is_valid else None
    return found_value(kind, scalar)


def wanted_bounds(kind, low, high):
    """The bounds, as PyIceberg's values, that exact extremes must have."""
    if isinstance(kind, StringType):
        return low[:BOUND_LENGTH], (high if len(high) <= BOUND_LENGTH else
                                    truncate_upper_bound_text_string(high, BOUND_LENGTH))
    if isinstance(kind, BinaryType):
        return low[:BOUND_LENGTH], (high if len(high) <= BOUND_LENGTH else
                                    truncate_upper_bound_binary_string(high, BOUND_LENGTH))
    return low, high


def check_leaf(field, metrics, values, extremes):
    """The differences of one leaf's metrics from the values that a reader finds."""
    value_count, null_count, nan_count, lower, upper = metrics
    kind = field.field_type
    is_real = isinstance(kind, (FloatType, DoubleType))
    plain = [plain_value(str(kind), value) for value in values]
    present = [value for value in plain if value is not None]
    numbers = [value for value in present if value == value]
    counts = (len(plain), len(plain) - len(present),
              len(present) - len(numbers) if is_real else -1)
    if (value_count, null_count, nan_count) != counts:
        yield f"counts {value_count, null_count, nan_count}, read {counts}"
    has_bounds = bool(numbers) and not isinstance(kind, UUIDType) and not (
        isinstance(kind, FixedType) and len(kind) > BOUND_LENGTH)
    if not has_bounds:
        if lower is not None or upper is not None:
            yield f"bounds {lower}, {upper} of {numbers[:3]}"
        return
    wanted = wanted_bounds(kind, min(numbers), max(numbers))
    if nan_count > 0:
        # To engines that sort NaN above all numbers a number is no upper bound.
        wanted = (wanted[0], None)
    found = tuple(None if bound is None else from_bytes(kind, bytes.fromhex(bound))
                  for bound in (lower, upper))
    if isinstance(kind, FixedType):
        found = tuple(bytes(bound) for bound in found)
    if found != wanted:
        yield f"bounds {found}, read {wanted}"
    if extremes is None:
        return
    low, high = (plain_value(str(kind), scalar) for scalar in extremes)
    if (low, high) != (min(numbers), max(numbers)):
        yield f"MIN and MAX {low, high}, read {min(numbers), max(numbers)}"


def check_metrics(path, schema, metrics):
    """The differences of the metrics from what two readers find."""
    found = list(leaves(Schema.model_validate(schema).fields))
    if not found:
        return
    tables = read_pyarrow(path), read_duckdb(path)
    extremes = extremes_duckdb(
        path, [(name, isinstance(field.field_type, (FloatType, DoubleType)))
               for name, field in found])
    for i, (name, field) in enumerate(found):
        for reader, table, pair in (("pyarrow", tables[0], None),
                                    ("DuckDB", tables[1], extremes[2 * i:2 * i + 2])):
            for difference in check_leaf(field, metrics[str(field.field_id)],
                                         leaf_values(table, name), pair):
                yield f"{path.stem}, {'.'.join(name)} {field.field_type}, {reader}: {difference}"


def check_environments(program, folder):
    """The files that come out otherwise in another environment."""
    wanted = {path.name: path.read_bytes() for path in folder.iterdir()}
    for number, environment in enumerate(ENVIRONMENTS):
        other = folder.with_name(f"environment_{number}")
        subprocess.run([program, other], check=True, env={**os.environ, **environment})
        found = {path.name: path.read_bytes() for path in other.iterdir()}
        for name in sorted(wanted.keys() | found.keys()):
            if wanted.get(name) != found.get(name):
                yield f"{name}: other bytes under {environment}"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as parent:
        folder = pathlib.Path(parent) / "samples"
        subprocess.run([sys.argv[1], folder], check=True)
        paths = sorted(folder.glob("*.parquet"))
        differences = list(check_environments(sys.argv[1], folder))
        for path in paths:
            sample = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            differences += check_schema(path, sample["schema"])
            differences += compare(path, sample["schema"], sample["columns"])
            differences += check_metrics(path, sample["schema"], sample["metrics"])
    for difference in differences:
        print(difference)
    print(f"{len(paths)} files, three readers, {len(differences)} differences")
    return 1 if differences or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
