#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fastavro as a second opinion: random schemas, values and evolutions, decoded by Frazil.

    python3 tests/interop/decode_interop.py build/decode_sampler [--cases 10000] [--seed N]

Each case is a random schema of any types nested in one another, half of the time with a later
version (fields and branches added, dropped, moved, widened and renamed by alias, at every level),
and a few records of each version, which fastavro encodes. What docs/types.md says that they become
is computed here from the values themselves and compared with Frazil's Arrow cells; one case in
fifty goes on through Frazil's Parquet, read by pyarrow and DuckDB. The seed is printed.
"""

import argparse
import io
import itertools
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

import duckdb
import fastavro
import pyarrow
import pyarrow.parquet

from decode_vectors import TEXTS, kinds

LEAVES = sorted(kinds(random.Random(0), 0))
TYPE_OF = {"decimal": "bytes", "decimal-fixed": None, "enum": None, "fixed": None, "duration": None,
           "uuid": "string", "date": "int", "time-millis": "int"}


class Leaf:
    def __init__(self, kind, name):
        self.kind, self.name = kind, name

    def type_name(self):
        """What a union knows the branch by."""
        schema = self.kind.schema
        if isinstance(schema, str):
            return schema
        return schema.get("name", schema["type"])

    def schema(self, _seen):
        return self.kind.schema

    def value(self, chance):
        return self.kind.value(chance)

    def cell(self, value, target):
        if target.kind is self.kind.wider:
            return target.kind.cell(value)
        return self.kind.cell(value)


class Record:
    """`fields` are Field; each has an identity that stays through evolution."""

    def __init__(self, name, fields):
        self.name, self.fields = name, fields

    def type_name(self):
        return self.name

    def schema(self, seen):
        return {"type": "record", "name": self.name,
                "fields": [field.schema(seen) for field in self.fields]}

    def value(self, chance):
        return {field.name: field.node.value(chance) for field in self.fields}

    def cell(self, value, target):
        mine = {field.identity: field for field in self.fields}
        cells = {}
        for field in target.fields:
            if isinstance(field.node, Null):
                continue
            source = mine.get(field.identity)
            cells[field.name] = (None if source is None
                                 else cell_of(source.node, value[source.name], field.node))
        if not cells:
            mine_present = all(isinstance(field.node, Null) for field in self.fields)
            cells["kafka_present"] = "true" if mine_present else None
        return cells


class Null:
    def schema(self, _seen):
        return "null"

    def value(self, _chance):
        return None


class Array:
    def __init__(self, item):
        self.item = item

    def type_name(self):
        return "array"

    def schema(self, seen):
        return {"type": "array", "items": self.item.schema(seen)}

    def value(self, chance):
        return [self.item.value(chance) for _ in range(chance.choice([0, 1, 2, 5]))]

    def cell(self, value, target):
        return [cell_of(self.item, item, target.item) for item in value]


class Map(Array):
    def type_name(self):
        return "map"

    def schema(self, seen):
        return {"type": "map", "values": self.item.schema(seen)}

    def value(self, chance):
        keys = chance.sample(TEXTS, chance.choice([0, 1, 2, 4]))
        return {key: self.item.value(chance) for key in keys}

    def cell(self, value, target):
        return [(key, cell_of(self.item, item, target.item)) for key, item in value.items()]


class Union:
    """One branch: nullable or alone. Several: a struct of branches."""

    def __init__(self, branches, null_at):
        self.branches, self.null_at = branches, null_at

    def several(self):
        return len(self.branches) > 1

    def schema(self, seen):
        made = [branch.schema(seen) for branch in self.branches]
        if self.null_at is not None:
            made.insert(self.null_at, "null")
        return made

    def value(self, chance):
        if self.null_at is not None and chance.random() < 0.3:
            return None
        branch = chance.choice(self.branches)
        return (branch.type_name(), branch.value(chance))


def cell_of(node, value, target):
    """The cell that a writer's value becomes in the target's column."""
    if value is None:
        return None
    if isinstance(node, Union):
        name, value = value
        branch = next(one for one in node.branches if one.type_name() == name)
        if not node.several():
            return cell_of(branch, value, target)
        return {one.type_name(): cell_of(branch, value, one) if one.type_name() == name else None
                for one in target.branches}
    if isinstance(target, Union):
        return node.cell(value, target.branches[0])
    return node.cell(value, target)


class Field:
    numbers = itertools.count()

    def __init__(self, name, node, identity=None, alias=None):
        self.name, self.node, self.alias = name, node, alias
        self.identity = next(Field.numbers) if identity is None else identity

    def schema(self, seen):
        made = {"name": self.name, "type": self.node.schema(seen)}
        if self.alias is not None:
            made["aliases"] = [self.alias]
        return made


class Maker:
    def __init__(self, chance):
        self.chance = chance
        self.names = itertools.count(1)

    def leaf(self):
        number = next(self.names)
        name = self.chance.choice(LEAVES)
        return Leaf(kinds(self.chance, number)[name], name)

    def plain(self, depth):
        roll = self.chance.random()
        if depth >= 4 or roll < 0.6:
            return self.leaf()
        if roll < 0.75:
            return Record(f"R{next(self.names)}", self.fields(depth, self.chance.randint(0, 4)))
        return (Array if roll < 0.88 else Map)(self.node(depth + 1))

    def node(self, depth):
        roll = self.chance.random()
        if roll < 0.45:
            return self.plain(depth)
        if roll < 0.85:
            return Union([self.plain(depth)], self.chance.choice([0, 0, 1, None]))
        branches = {}
        for _ in range(self.chance.randint(2, 4)):
            branch = self.plain(depth + 1)
            branches.setdefault(branch.type_name(), branch)
        return Union(list(branches.values()),
                     self.chance.choice([None, 0, len(branches)]))

    def fields(self, depth, count):
        made = []
        for _ in range(count):
            node = Null() if self.chance.random() < 0.05 else self.node(depth + 1)
            made.append(Field(f"f{next(self.names)}", node))
        return made

    def evolved_record(self, record, depth):
        fields = []
        for field in record.fields:
            roll = self.chance.random()
            if roll < 0.15:
                continue
            renamed = 0.15 <= roll < 0.3
            fields.append(Field(f"f{next(self.names)}" if renamed else field.name,
                                self.evolved(field.node, depth + 1), field.identity,
                                field.name if renamed else None))
        fields += self.fields(depth, self.chance.choice([0, 0, 1, 2]))
        self.chance.shuffle(fields)
        return Record(record.name, fields)

    def evolved(self, node, depth):
        if isinstance(node, Null):
            return node
        if isinstance(node, Leaf):
            wide = node.kind.wider is not None and self.chance.random() < 0.5
            return Leaf(node.kind.wider, node.name) if wide else node
        if isinstance(node, Record):
            return self.evolved_record(node, depth)
        if isinstance(node, (Array, Map)):
            return type(node)(self.evolved(node.item, depth + 1))
        if not node.several():
            inner = self.evolved(node.branches[0], depth)
            return inner if self.chance.random() < 0.2 else Union(
                [inner], self.chance.choice([0, 1, None]))
        return self.evolved_union(node, depth)

    def evolved_union(self, node, depth):
        # A branch is known by its type, so a number that widens would be another branch.
        branches = [branch if isinstance(branch, Leaf) else self.evolved(branch, depth)
                    for branch in node.branches]
        if len(branches) > 2 and self.chance.random() < 0.3:
            branches.pop(self.chance.randrange(len(branches)))
        if self.chance.random() < 0.3:
            extra = self.plain(depth + 1)
            if extra.type_name() not in {branch.type_name() for branch in node.branches}:
                branches.append(extra)
        self.chance.shuffle(branches)
        return Union(branches, self.chance.choice([None, 0, len(branches)]))


def make_case(seed, number):
    chance = random.Random(f"{seed}/{number}")
    maker = Maker(chance)
    versions = [Record("Top", maker.fields(0, chance.randint(1, 5)))]
    if chance.random() < 0.5:
        versions.append(maker.evolved_record(versions[0], 0))
    texts = [json.dumps(version.schema({})) for version in versions]
    parsed = [fastavro.parse_schema(json.loads(text), named_schemas={}) for text in texts]
    records, rows = [], []
    for _ in range(chance.randint(1, 4)):
        writer = chance.randrange(len(versions))
        value = versions[writer].value(chance)
        body = io.BytesIO()
        fastavro.schemaless_writer(body, parsed[writer], value)
        records.append({"writer": writer, "body": body.getvalue().hex()})
        row = versions[writer].cell(value, versions[-1])
        rows.append({name: cell for name, cell in row.items() if name != "kafka_present"})
    case = {"schemas": texts, "records": records, "parquet": number % 50 == 0}
    return case, rows


def bits(value, form):
    return None if value is None else struct.pack(form, value).hex()


def cells(array):
    """An Arrow array as the cells of decode_vectors.py; records as dicts, maps as pairs."""
    if isinstance(array, pyarrow.ExtensionArray):
        array = array.storage
    kind = array.type
    if pyarrow.types.is_struct(kind):
        columns = {kind.field(i).name: cells(array.field(i)) for i in range(kind.num_fields)}
        return [{name: column[row] for name, column in columns.items()} if there else None
                for row, there in enumerate(array.is_valid().to_pylist())]
    if pyarrow.types.is_map(kind):
        pairs = list(zip(cells(array.keys), cells(array.items)))
        return parts(array, pairs)
    if pyarrow.types.is_list(kind):
        return parts(array, cells(array.values))
    if pyarrow.types.is_boolean(kind):
        return [None if one is None else str(one).lower() for one in array.to_pylist()]
    if pyarrow.types.is_timestamp(kind):
        array = array.cast(pyarrow.int64())
    if pyarrow.types.is_date(kind):
        array = array.cast(pyarrow.int32())
    values = array.to_pylist()
    if pyarrow.types.is_float32(kind):
        return [bits(one, ">f") for one in values]
    if pyarrow.types.is_float64(kind):
        return [bits(one, ">d") for one in values]
    if pyarrow.types.is_decimal(kind):
        return [None if one is None else str(int(one.scaleb(kind.scale))) for one in values]
    if pyarrow.types.is_string(kind):
        return values
    if pyarrow.types.is_integer(array.type):
        return [None if one is None else str(one) for one in values]
    return [None if one is None else one.hex() for one in values]


def parts(array, items):
    offsets = array.offsets.to_pylist()
    return [items[offsets[row]:offsets[row + 1]] if there else None
            for row, there in enumerate(array.is_valid().to_pylist())]


def rows_of(table):
    """Rows of the value columns of a batch or a table of one batch."""
    columns = {name: cells(table.column(name).combine_chunks()
                           if isinstance(table, pyarrow.Table) else table.column(name))
               for name in table.schema.names if not name.startswith("kafka_")}
    return [{name: column[row] for name, column in columns.items()}
            for row in range(table.num_rows)]


def parts_of(stream):
    while kind := stream.read(1):
        size, = struct.unpack("<I", stream.read(4))
        yield kind, stream.read(size)


def check_parquet(data, rows, folder):
    table = pyarrow.parquet.read_table(io.BytesIO(data), schema=None)
    problems = []
    if rows_of(table) != rows:
        problems.append(f"pyarrow reads from Parquet {rows_of(table)}")
    path = pathlib.Path(folder) / "case.parquet"
    path.write_bytes(data)
    names = [name for name in table.schema.names if not name.startswith("kafka_")]
    if not names:
        return problems
    # DuckDB tells uuids, and dates far away, in its own way: texts, numbers and shapes are compared.
    found = duckdb.sql(f"SELECT {', '.join(names)} FROM '{path}'").fetchall()
    for wanted, row in zip(rows, found, strict=True):
        for name, cell in zip(names, row):
            if shape(wanted[name]) != shape(cell):
                problems.append(f"DuckDB reads from Parquet {name} = {cell!r}")
    return problems


def shape(cell):
    """What is there and how many, without the leaves themselves."""
    if cell is None:
        return None
    if isinstance(cell, dict):
        return tuple(shape(one) for one in cell.values())
    if isinstance(cell, list):
        # Pairs of a map here, a dict there.
        if cell and isinstance(cell[0], tuple):
            return tuple(shape(one) for _, one in cell)
        return tuple(shape(one) for one in cell)
    return "leaf"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sampler", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--only", type=int, help="the number of one case")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    started = time.monotonic()
    numbers = range(arguments.cases) if arguments.only is None else [arguments.only]
    wanted = [make_case(arguments.seed, number) for number in numbers]
    with tempfile.TemporaryDirectory() as folder:
        cases = pathlib.Path(folder) / "cases.json"
        cases.write_text("".join(json.dumps(case) + "\n" for case, _ in wanted))
        output = subprocess.run([arguments.sampler, cases], stdout=subprocess.PIPE, check=True).stdout
        found = parts_of(io.BytesIO(output))
        failures = 0
        for number, (case, rows) in zip(numbers, wanted):
            kind, data = next(found)
            problems = []
            if kind == b"E":
                problems.append(data.decode())
            else:
                batch = pyarrow.ipc.open_stream(data).read_next_batch()
                if rows_of(batch) != rows:
                    problems.append(f"frazil reads {rows_of(batch)}")
                if case["parquet"]:
                    kind, data = next(found)
                    problems += ([data.decode()] if kind == b"E"
                                 else check_parquet(data, rows, folder))
            if problems:
                failures += 1
                if failures <= 3:
                    print(f"case {number}: {json.dumps(case)}\n  wanted {rows}")
                    print("\n".join(f"  {problem}" for problem in problems))
    seconds = time.monotonic() - started
    if failures:
        sys.exit(f"{failures} of {len(wanted)} cases differ, seed {arguments.seed}")
    print(f"{len(wanted)} cases agree, {seconds:.0f} s")


if __name__ == "__main__":
    main()
