#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More readers read what encoder version 2 wrote, and find what version 1 holds.

    python3 tests/interop/parquet_readers.py build/parquet_sample_writer

DataFusion, ClickHouse (chdb), and Spark 3.5 with its own reader and through Iceberg, both vectorized
where they can, read sample files of version 2. Cell by cell they must find what pyarrow reads from
the same sample by version 1. They are large (a gigabyte), so only `make interop` runs this, and it
fetches them into .deps/readers: Python packages by readers.txt, Java ones by spark/pom.xml.

Left out are columns that a reader has no type for (UNREADABLE).
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import uuid

import pyarrow
import pyarrow.parquet
from parquet_interop import real

INTEROP = pathlib.Path(__file__).resolve().parent
READERS = INTEROP.parents[1] / ".deps" / "readers"
# Spark takes a second for each file.
SPARK_SAMPLES = 25
# What Spark needs of a Java that hides its insides.
OPENED = ("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio",
          "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch",
          "sun.nio.cs", "sun.security.action", "sun.util.calendar")
# Spark has no time of day, and its own reader no uuid. ClickHouse's dates and timestamps end in the
# years 1900 and 2299, and a time of day is a number to it.
UNREADABLE = {"spark": {"time", "uuid"}, "iceberg": {"time"},
              "clickhouse": {"time", "date", "timestamp", "timestamptz"}, "datafusion": set()}
MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}


def install():
    """Fetches what is not there. A stamp that holds what was asked for says that all is there."""
    wanted = (INTEROP / "readers.txt").read_text() + (INTEROP / "spark/pom.xml").read_text()
    stamp = READERS / "stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade",
                    "--target", READERS / "python", "-r", INTEROP / "readers.txt"], check=True)
    subprocess.run(["mvn", "--batch-mode", "--quiet", "-f", INTEROP / "spark/pom.xml",
                    "dependency:copy-dependencies", "-DincludeScope=runtime",
                    f"-DoutputDirectory={READERS / 'java'}"], check=True)
    stamp.write_text(wanted)


def types_in(kind):
    """The names of all types in an Iceberg type, its own included."""
    if not isinstance(kind, dict):
        yield kind.split("(")[0].split("[")[0]
        return
    yield kind["type"]
    for field in kind.get("fields", ()):
        yield from types_in(field["type"])
    for part in ("element", "key", "value"):
        if part in kind:
            yield from types_in(kind[part])


def readable(schema, reader):
    """The fields of a schema that a reader has types for."""
    kinds = [field["type"] for field in schema["fields"]]
    # Where a column is nested, Iceberg does not read vectors, and looks at all of a file's columns.
    if (reader == "iceberg" and any(isinstance(kind, dict) for kind in kinds)
            and any("time" in types_in(kind) for kind in kinds)):
        return []
    return [field for field in schema["fields"]
            if not UNREADABLE[reader].intersection(types_in(field["type"]))]


def plain(value):
    return value.encode() if isinstance(value, str) else value


def cell(kind, scalar):
    """A value from any reader in one form, by the Iceberg type that it has."""
    if not scalar.is_valid:
        return None
    if isinstance(scalar, pyarrow.ExtensionScalar):
        scalar = scalar.value
    if isinstance(kind, dict):
        if kind["type"] == "struct":
            return [cell(field["type"], scalar[i]) for i, field in enumerate(kind["fields"])]
        if kind["type"] == "list":
            return [cell(kind["element"], element) for element in scalar.values]
        return [(cell(kind["key"], entry[0]), cell(kind["value"], entry[1]))
                for entry in scalar.values]
    if kind in ("float", "double"):
        return real(scalar.as_py(), "<f" if kind == "float" else "<d")
    if kind.startswith("timestamp"):
        return scalar.value * MICROSECONDS[scalar.type.unit]
    if kind in ("date", "time"):
        return scalar.value
    if kind == "uuid" and isinstance(scalar.as_py(), str):
        return uuid.UUID(scalar.as_py()).bytes
    return plain(scalar.as_py())


def without_groups(kind, value):
    """A value as ClickHouse has it, where no list, map or struct is NULL."""
    if not isinstance(kind, dict):
        return value
    if kind["type"] == "struct":
        values = value if value is not None else [None] * len(kind["fields"])
        return [without_groups(field["type"], item)
                for field, item in zip(kind["fields"], values, strict=True)]
    if kind["type"] == "list":
        return [without_groups(kind["element"], item) for item in value or ()]
    return [(key, without_groups(kind["value"], item)) for key, item in value or ()]


def read_datafusion(path, names):
    import datafusion  # in .deps/readers
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
    context.register_parquet("sample", str(path))
    return context.sql(f"SELECT {names} FROM sample").to_arrow_table()


def read_clickhouse(path, names):
    import chdb  # in .deps/readers
    in_order = "SETTINGS max_threads = 1, input_format_parquet_preserve_order = 1"
    return chdb.query(f"SELECT {names} FROM file('{path}', Parquet) {in_order}", "ArrowTable")


def read_written(path, reader):
    """What Spark wrote of what it read."""
    return pyarrow.parquet.read_table(path.with_suffix(f".{reader}"))


def run_spark(folder, paths):
    """Lets Spark read the files; yields what it could not read."""
    for path in paths:
        schema = json.loads(path.with_suffix(".json").read_text())["schema"]
        for reader in ("spark", "iceberg"):
            fields = readable(schema, reader)
            if fields:
                path.with_suffix(f".{reader}_schema").write_text(
                    json.dumps({**schema, "fields": fields}))
    run = subprocess.run(
        ["java", "-Xmx1g", *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPENED),
         "-cp", f"{READERS / 'java'}/*", INTEROP / "spark/SparkReader.java", folder],
        env={"PATH": "/usr/bin:/bin", "SPARK_LOCAL_IP": "127.0.0.1"}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield from run.stdout.splitlines()
    if run.returncode != 0:
        yield f"Spark ended with {run.returncode}: {run.stderr[-2000:]}"


def compare(path, wanted, schema, reader, read):
    """The differences of what one reader finds in one file."""
    fields = readable(schema, reader)
    if not fields:
        return
    try:
        table = read(fields)
    except Exception as error:  # whatever a reader throws is the finding
        yield f"{path.name}, {reader}: {type(error).__name__}: {error}"
        return
    if table.num_rows != wanted.num_rows:
        yield f"{path.name}, {reader}: {table.num_rows} rows for {wanted.num_rows}"
        return
    for field in fields:
        name, kind = field["name"], field["type"]
        expected = [cell(kind, scalar) for scalar in wanted[name]]
        if reader == "clickhouse":
            expected = [without_groups(kind, value) for value in expected]
        found = [cell(kind, scalar) for scalar in table[name]]
        if found != expected:
            row = next(i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1])
            yield (f"{path.name}, {reader}, {name} {kind}, row {row}: "
                   f"wanted {expected[row]!r}, found {found[row]!r}")


def names_of(fields):
    return ", ".join(f'"{field["name"]}"' for field in fields)


def check(path, with_spark):
    """The differences of all readers in one file."""
    schema = json.loads(path.with_suffix(".json").read_text())["schema"]
    wanted = pyarrow.parquet.read_table(path.with_name(path.name.replace("_v2", "_v1")))
    readers = {"datafusion": lambda fields: read_datafusion(path, names_of(fields)),
               "clickhouse": lambda fields: read_clickhouse(path, names_of(fields))}
    if with_spark:
        readers |= {name: lambda _, name=name: read_written(path, name)
                    for name in ("spark", "iceberg")}
    for reader, read in readers.items():
        yield from compare(path, wanted, schema, reader, read)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    install()
    sys.path.append(str(READERS / "python"))
    with tempfile.TemporaryDirectory() as parent:
        folder = pathlib.Path(parent)
        subprocess.run([sys.argv[1], folder], check=True)
        paths = sorted(folder.glob("*_v2*.parquet"))
        fixed = [path for path in paths if not path.name.startswith("random")]
        for_spark = fixed + [path for path in paths if path not in fixed][:SPARK_SAMPLES]
        differences = list(run_spark(folder, for_spark))
        for path in paths:
            differences += check(path, path in for_spark)
    for difference in differences:
        print(difference)
    print(f"{len(paths)} files, four readers ({len(for_spark)} files by Spark), "
          f"{len(differences)} differences")
    return 1 if differences or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
