# SPDX-License-Identifier: Apache-2.0
"""Writes src/decode/test/testdata/decode_vectors.json: records that fastavro encodes, and the
columns that docs/types.md says they become, computed here from the values themselves.

    python tests/interop/decode_vectors.py            writes the file
    python tests/interop/decode_vectors.py --check    fails when the file would change

The same seed gives the same file. Cells are text: numbers, dates and times as integers (decimals
unscaled, times in microseconds), floating numbers as the hexadecimal of their bits (big-endian),
text as it is, other bytes as hexadecimal; null is NULL.
"""

import argparse
import datetime
import decimal
import io
import json
import pathlib
import random
import struct
import sys
import uuid

import fastavro

OUTPUT = pathlib.Path(__file__).parents[2] / "src/decode/test/testdata/decode_vectors.json"
SEED = 20261130
CASES = 60
EPOCH = datetime.datetime(1970, 1, 1)
TEXTS = ["", "a", "plain text", "häßlich", "日本語", "🧊 ice", "\u0000", "line\nbreak", "x" * 200]

decimal.getcontext().prec = 60


def micros(moment):
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


class Kind:
    """One Avro type: its schema, a random value, and the cell that the value becomes."""

    def __init__(self, schema, value, cell, wider=None):
        self.schema, self.value, self.cell, self.wider = schema, value, cell, wider


def logical(base, name, **more):
    return {"type": base, "logicalType": name, **more}


def any_int(rng, bits):
    size = rng.randint(0, bits - 1)
    return rng.choice([1, -1]) * rng.randint(0, 2**size - 1) if rng.random() < 0.9 else rng.choice(
        [2 ** (bits - 1) - 1, -(2 ** (bits - 1))])


def any_float(rng):
    return rng.choice([0.0, -0.0, 1.5, float("inf"), float("-inf"), rng.uniform(-1e6, 1e6)])


def any_moment(rng, step):
    seconds = rng.randint(-62135596800, 253402300799)
    return EPOCH + datetime.timedelta(seconds=seconds, microseconds=rng.randrange(0, 10**6, step))


def bits32(value):
    return struct.pack(">f", value).hex()


def bits64(value):
    return struct.pack(">d", value).hex()


def as_float32(value):
    return struct.unpack(">f", struct.pack(">f", value))[0]


def decimal_kind(base, precision, scale, size=None, name=None, wider=None):
    schema = logical(base, "decimal", precision=precision, scale=scale)
    if size is not None:
        schema.update(name=name, size=size)

    def value(rng):
        unscaled = rng.choice([0, 10**precision - 1, 1 - 10**precision,
                               rng.randint(-(10 ** rng.randint(0, precision)) + 1, 10**precision - 1)])
        return decimal.Decimal(unscaled).scaleb(-scale)

    return Kind(schema, value, lambda v: str(int(v.scaleb(scale))), wider)


def kinds(rng, number):
    """The kinds of field that a column can hold. `number` makes names of types unique."""
    symbols = [f"S{i}" for i in range(rng.randint(1, 5))]
    size = rng.randint(1, 20)
    precision = rng.randint(1, 30)
    scale = rng.randint(0, precision)
    plain_long = Kind("long", lambda r: any_int(r, 64), str)
    plain_double = Kind("double", any_float, bits64)
    wide_decimal = decimal_kind("bytes", precision + rng.randint(0, 8), scale)
    fixed_size = (precision * 10 // 24) + 2
    return {
        "boolean": Kind("boolean", lambda r: r.random() < 0.5, lambda v: "true" if v else "false"),
        "int": Kind("int", lambda r: any_int(r, 32), str, plain_long),
        "long": plain_long,
        "float": Kind("float", lambda r: as_float32(any_float(r)), bits32, plain_double),
        "double": plain_double,
        "bytes": Kind("bytes", lambda r: r.randbytes(r.choice([0, 1, 17])), lambda v: v.hex()),
        "string": Kind("string", lambda r: r.choice(TEXTS), str),
        "enum": Kind({"type": "enum", "name": f"E{number}", "symbols": symbols},
                     lambda r: r.choice(symbols), str),
        "fixed": Kind({"type": "fixed", "name": f"F{number}", "size": size},
                      lambda r: r.randbytes(size), lambda v: v.hex()),
        "duration": Kind({"type": "fixed", "name": f"D{number}", "size": 12,
                          "logicalType": "duration"}, lambda r: r.randbytes(12), lambda v: v.hex()),
        "decimal": decimal_kind("bytes", precision, scale, wider=wide_decimal),
        "decimal-fixed": decimal_kind("fixed", precision, scale, fixed_size, f"M{number}",
                                      wide_decimal),
        "uuid": Kind(logical("string", "uuid"),
                     lambda r: uuid.UUID(bytes=r.randbytes(16)), lambda v: v.bytes.hex()),
        "date": Kind(logical("int", "date"), lambda r: any_moment(r, 1).date(),
                     lambda v: str((v - EPOCH.date()).days)),
        "time-millis": Kind(logical("int", "time-millis"),
                            lambda r: any_moment(r, 1000).time(), time_cell),
        "time-micros": Kind(logical("long", "time-micros"),
                            lambda r: any_moment(r, 1).time(), time_cell),
        "timestamp-millis": instant("timestamp-millis", 1000),
        "timestamp-micros": instant("timestamp-micros", 1),
        "local-timestamp-millis": Kind(logical("long", "local-timestamp-millis"),
                                       lambda r: any_moment(r, 1000), lambda v: str(micros(v))),
        "local-timestamp-micros": Kind(logical("long", "local-timestamp-micros"),
                                       lambda r: any_moment(r, 1), lambda v: str(micros(v))),
        "timestamp-nanos": Kind(logical("long", "timestamp-nanos"), lambda r: any_int(r, 64),
                                lambda v: str(v // 1000)),
        "local-timestamp-nanos": Kind(logical("long", "local-timestamp-nanos"),
                                      lambda r: any_int(r, 64), lambda v: str(v // 1000)),
    }


def time_cell(value):
    return str(micros(datetime.datetime.combine(EPOCH.date(), value)))


def instant(name, step):
    return Kind(logical("long", name),
                lambda r: any_moment(r, step).replace(tzinfo=datetime.timezone.utc),
                lambda v: str(micros(v.replace(tzinfo=None))))


def nested_schema(rng, number):
    """A type that no column can hold yet; its values are skipped."""
    leaf = rng.choice(["int", "string", "double", ["null", "long"], "boolean"])
    return rng.choice([
        {"type": "array", "items": leaf},
        {"type": "map", "values": leaf},
        {"type": "array", "items": {"type": "map", "values": {"type": "array", "items": leaf}}},
        ["null", "string", "double"],
        {"type": "record", "name": f"N{number}", "fields": [
            {"name": "x", "type": leaf}, {"name": "e", "type": "null"},
            {"name": "next", "type": ["null", f"N{number}"]}]},
        ["null", {"type": "record", "name": f"N{number}", "fields": [
            {"name": "x", "type": {"type": "array", "items": "null"}}]}],
    ])


def nested_value(rng, schema, named, depth=0):
    if isinstance(schema, list):
        branch = schema[0] if depth > 3 else rng.choice(schema)
        return nested_value(rng, branch, named, depth)
    if isinstance(schema, str) and schema in named:
        return nested_value(rng, named[schema], named, depth + 1)
    plain = {"null": lambda: None, "int": lambda: any_int(rng, 32), "long": lambda: any_int(rng, 64),
             "string": lambda: rng.choice(TEXTS), "double": lambda: rng.uniform(-9, 9),
             "boolean": lambda: rng.random() < 0.5}
    if isinstance(schema, str):
        return plain[schema]()
    if schema["type"] == "array":
        return [nested_value(rng, schema["items"], named, depth + 1)
                for _ in range(rng.randint(0, 3))]
    if schema["type"] == "map":
        return {f"k{i}": nested_value(rng, schema["values"], named, depth + 1)
                for i in range(rng.randint(0, 3))}
    named[schema["name"]] = schema
    return {field["name"]: nested_value(rng, field["type"], named, depth + 1)
            for field in schema["fields"]}


class Field:
    def __init__(self, rng, name, number, kind_name=None):
        self.name, self.kind, self.nested = name, None, None
        if kind_name is None and rng.random() < 0.12:
            self.nested = nested_schema(rng, number)
            return
        choices = kinds(rng, number)
        self.kind = choices[kind_name or rng.choice(sorted(choices))]
        self.shape = rng.choice(["plain", "plain", "null first", "null last", "alone"])

    def widened(self):
        wide = object.__new__(Field)
        wide.name, wide.nested, wide.kind, wide.shape = self.name, None, self.kind.wider, self.shape
        return wide

    def schema(self):
        if self.nested is not None:
            return {"name": self.name, "type": self.nested}
        plain = self.kind.schema
        made = {"plain": plain, "null first": ["null", plain], "null last": [plain, "null"],
                "alone": [plain]}[self.shape]
        field = {"name": self.name, "type": made}
        if self.shape == "null first":
            field["default"] = None
        elif plain == "int":
            field["default"] = 42  # never to be seen
        return field

    def value(self, rng):
        if self.nested is not None:
            return nested_value(rng, self.nested, {})
        if self.shape.startswith("null") and rng.random() < 0.3:
            return None
        return self.kind.value(rng)


def evolve(rng, fields, number):
    """A later version: some fields gone, some wider, some new, all in another order."""
    later = []
    for field in fields:
        if rng.random() < 0.2:
            continue
        wide = field.nested is None and field.kind.wider is not None and rng.random() < 0.6
        later.append(field.widened() if wide else field)
    for i in range(rng.randint(0, 2)):
        later.append(Field(rng, f"new{i}", number + 100 + i))
    rng.shuffle(later)
    return later


def record_schema(fields, name):
    return {"type": "record", "name": name, "fields": [field.schema() for field in fields]}


def cell_in(field, value, target):
    """The cell of a writer's value in the target's column of the same name."""
    if value is None:
        return None
    widened = target.kind.cell(value) if target.kind is field.kind.wider else field.kind.cell(value)
    return widened


def make_case(rng, number, kind_name):
    fields = [Field(rng, f"f{i}", number * 1000 + i, kind_name if i == 0 else None)
              for i in range(rng.randint(1, 8))]
    versions = [fields]
    if number % 2 == 1:
        versions.append(evolve(rng, fields, number * 1000))
    parsed = [fastavro.parse_schema(record_schema(version, f"R{i}"), named_schemas={})
              for i, version in enumerate(versions)]
    newest = {field.name: field for field in versions[-1] if field.nested is None}
    case = {"name": f"{number} {kind_name}", "records": [],
            "schemas": [json.dumps(record_schema(version, f"R{i}"))
                        for i, version in enumerate(versions)],
            "columns": {name: [] for name in newest}}
    for _ in range(6):
        writer = rng.randrange(len(versions))
        values = {field.name: field.value(rng) for field in versions[writer]}
        body = io.BytesIO()
        fastavro.schemaless_writer(body, parsed[writer], values)
        case["records"].append({"writer": writer, "body": body.getvalue().hex()})
        written = {field.name: field for field in versions[writer]}
        for name, target in newest.items():
            field = written.get(name)
            case["columns"][name].append(
                None if field is None else cell_in(field, values[name], target))
    return case


def make_text():
    rng = random.Random(SEED)
    names = sorted(kinds(random.Random(0), 0))
    cases = [make_case(rng, number, names[number // 2 % len(names)]) for number in range(CASES)]
    lines = [json.dumps(case, sort_keys=True, separators=(",", ":")) for case in cases]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    arguments = parser.parse_args()
    text = make_text()
    if not arguments.check:
        OUTPUT.write_text(text)
    elif OUTPUT.read_text() != text:
        sys.exit(f"{OUTPUT} is not what this script writes")


if __name__ == "__main__":
    main()
