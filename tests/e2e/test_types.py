# SPDX-License-Identifier: Apache-2.0
"""Every Avro type, nested and not, through Frazil to DuckDB and PyIceberg, against fastavro."""

import copy
import datetime
import decimal
import io
import uuid

import fastavro
import pytest
from pyiceberg.catalog import load_catalog

from comparing import assert_metadata_agrees

UTC = datetime.timezone.utc
NOW = ["--schema-cache", "0ms"]


def logical(base, name, **more):
    return {"type": base, "logicalType": name, **more}


def record(name, **fields):
    return {"type": "record", "name": name,
            "fields": [{"name": field, "type": kind} for field, kind in fields.items()]}


def array(items):
    return {"type": "array", "items": items}


EVERY_TYPE = record(
    "shop.Every",
    flag="boolean", small="int", big="long", single="float", real="double", raw="bytes", text="string",
    level={"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]},
    four={"type": "fixed", "name": "Four", "size": 4},
    amount=logical("bytes", "decimal", precision=10, scale=2),
    wide={**logical("fixed", "decimal", precision=38, scale=4), "name": "Wide", "size": 16},
    day=logical("int", "date"), clock=logical("int", "time-millis"), tick=logical("long", "time-micros"),
    instant=logical("long", "timestamp-millis"), moment=logical("long", "timestamp-micros"),
    wall=logical("long", "local-timestamp-micros"),
    identity=logical("string", "uuid"),
    note=["null", "string"],
    place=["null", record("Place", city="string", at=["null", record("Point", x="double", y="double")])],
    items=array(record("Item", sku="string", qty="int", tags=array("string"))),
    counts={"type": "map", "values": "long"},
    by={"type": "map", "values": ["null", "Place"]},
    grid=array(array(["null", "int"])),
    event=["null", "long", "string", record("Created", by="string"), record("Deleted")],
    again="Level",
)


def full(number):
    return {
        "flag": number % 2 == 0, "small": -number, "big": 2**62 + number, "single": 0.5, "real": -0.0,
        "raw": bytes([0, 255, number]), "text": "häßlich 🧊", "level": "HIGH", "four": b"abcd",
        "amount": decimal.Decimal("-1.05"), "wide": decimal.Decimal("9" * 34 + ".9999"),
        "day": datetime.date(1969, 12, 31), "clock": datetime.time(23, 59, 59, 999000),
        "tick": datetime.time(0, 0, 0, 1), "instant": datetime.datetime(2024, 2, 29, 12, tzinfo=UTC),
        "moment": datetime.datetime(1, 1, 1, tzinfo=UTC),
        "wall": datetime.datetime(2024, 2, 29, 12, 0, 0, 5), "identity": uuid.UUID(int=number),
        "note": "n", "place": {"city": "Jena", "at": {"x": 1.5, "y": -2.0}},
        "items": [{"sku": f"s{i}", "qty": i, "tags": ["t"] * i} for i in range(number % 4)],
        "counts": {"a": number, "b": -1}, "by": {"home": {"city": "Gera", "at": None}, "work": None},
        "grid": [[1, None], [], [number]],
        "event": [number, f"text{number}", ("shop.Created", {"by": "me"}), ("shop.Deleted", {}),
                  None][number % 5],
        "again": "LOW",
    }


def least(number):
    empty = {"note": None, "place": None, "items": [], "counts": {}, "by": {}, "grid": [], "event": None,
             "text": "", "raw": b""}
    return {**full(number), **empty}


def micros(clock):
    return ((clock.hour * 60 + clock.minute) * 60 + clock.second) * 10**6 + clock.microsecond


EVENT_BRANCHES = ["long", "string", "Created", "Deleted"]


def expected(value):
    """What docs/types.md makes of a value that fastavro read."""
    row = dict(value)
    row["clock"], row["tick"] = micros(value["clock"]), micros(value["tick"])
    event = value["event"]
    if event is not None:
        name, inner = event if isinstance(event, tuple) else (
            "string" if isinstance(event, str) else "long", event)
        name = name.removeprefix("shop.")
        row["event"] = {branch: None for branch in EVENT_BRANCHES}
        row["event"][name] = {"kafka_present": True} if name == "Deleted" else inner
    return row


@pytest.fixture
def every_type(make_topic, make_frazil):
    topic = make_topic(schema=EVERY_TYPE, partitions=1)
    written = [full(number) if number % 3 else least(number) for number in range(12)]
    for value in written:
        topic.send(value)
    topic.send(None)
    topic.flush()
    wanted = []
    for value in written:
        body = io.BytesIO(topic.framing.encode(value)[5:])
        wanted.append(expected(fastavro.schemaless_reader(
            body, topic.framing.schema, return_record_name=True,
            return_record_name_override=True)))
    wanted.append({name: None for name in wanted[0]})
    return topic, make_frazil(topic), wanted


def plain(value):
    """One form for both engines: uuids as such, maps as dicts."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        if value and isinstance(value[0], tuple):
            return {key: plain(one) for key, one in value}
        return [plain(one) for one in value]
    return value


def assert_rows(found, wanted):
    assert len(found) == len(wanted)
    for row, right in zip(found, wanted):
        for name, value in right.items():
            cell = plain(row[name])
            if name == "identity" and cell is not None:
                cell = uuid.UUID(bytes=cell) if isinstance(cell, bytes) else uuid.UUID(str(cell))
            if name in ("counts", "by") and cell == []:
                cell = {}
            # -0.0 equals 0.0 but is written otherwise.
            assert (cell, str(cell)) == (value, str(value)), name


def test_duckdb_reads_every_type(every_type, duckdb_of):
    topic, frazil, wanted = every_type
    duck = duckdb_of(frazil)
    table = f"frazil.speed.{topic.name}"
    assert_rows(duck.rows(f"SELECT * FROM {table} ORDER BY kafka_offset"), wanted)
    with_place = sum(1 for row in wanted if row["place"])
    assert duck.value(f"SELECT count(*) FROM {table} WHERE place.city = 'Jena'") == with_place
    assert duck.value(f"SELECT count(*) FROM {table} WHERE place.at.x > 1") == with_place
    assert duck.value(f"SELECT count(*) FROM {table} WHERE place IS NULL") == len(wanted) - with_place
    assert duck.value(f"SELECT sum(len(items)) FROM {table}") == sum(
        len(row["items"] or []) for row in wanted)
    assert duck.value(f"SELECT count(*) FROM {table} WHERE items[2].sku = 's1'") == sum(
        1 for row in wanted if len(row["items"] or []) > 1)
    assert duck.value(f"SELECT sum(counts['b']) FROM {table}") == sum(
        (row["counts"] or {}).get("b", 0) for row in wanted)
    assert duck.value(f"SELECT count(*) FROM {table} WHERE event.Created.\"by\" = 'me'") == sum(
        1 for row in wanted if row["event"] and row["event"]["Created"])
    assert duck.value(f"SELECT count(event.Deleted.kafka_present) FROM {table}") == sum(
        1 for row in wanted if row["event"] and row["event"]["Deleted"])


def test_pyiceberg_reads_every_type(every_type):
    topic, frazil, wanted = every_type
    table = load_catalog("frazil", type="rest", uri=frazil.url).load_table(f"speed.{topic.name}")
    found = sorted(table.scan().to_arrow().to_pylist(), key=lambda row: row["kafka_offset"])
    # PyIceberg loses whether an array or a map of records is NULL or empty (docs/types.md).
    for row in wanted:
        row.update(items=row["items"] or [], by=row["by"] or {})
    assert_rows(found, wanted)
    jena = table.scan(row_filter="place.city = 'Jena'").to_arrow()
    assert jena.num_rows == sum(1 for row in wanted if row["place"])
    assert_metadata_agrees(frazil, topic.name)
    metadata = table.schema()
    assert metadata.find_field("items.element.qty").field_type.__class__.__name__ == "IntegerType"
    assert metadata.find_field("clock").doc == "(microseconds since midnight)"


def test_a_topic_without_a_schema_is_bytes(make_topic, make_frazil, duckdb_of):
    topic = make_topic(schema=None, partitions=1)
    values = [b"plain", b"\0\0\0\0\1", b"", None, b'{"json": true}']
    for value in values:
        topic.send(value)
    topic.flush()
    frazil = make_frazil(topic, extra=NOW)
    duck = duckdb_of(frazil)
    query = f"SELECT kafka_value FROM frazil.speed.{topic.name} ORDER BY kafka_offset"
    assert [row[0] for row in duck.tuples(query)] == values
    # A subject that comes later changes nothing that was shown.
    topic.use(record("Late", x="int"))
    topic.send({"x": 1})
    topic.flush()
    assert [row[0] for row in duckdb_of(frazil).tuples(query)][:5] == values
    assert duckdb_of(frazil).value(f"SELECT count(kafka_value) FROM frazil.speed.{topic.name}") == 5
    assert_metadata_agrees(frazil, topic.name)


def test_an_empty_topic_gets_its_columns_with_its_subject(make_topic, make_frazil, duckdb_of):
    topic = make_topic(schema=None, partitions=1)
    frazil = make_frazil(topic, extra=NOW)
    assert duckdb_of(frazil).value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == 0
    topic.use(record("Late", x="int"))
    topic.send({"x": 7})
    topic.flush()
    assert duckdb_of(frazil).tuples(f"SELECT x FROM frazil.speed.{topic.name}") == [(7,)]


def test_values_that_are_no_records(make_topic, make_frazil, duckdb_of):
    topic = make_topic(schema="string", partitions=1)
    for text in ("a", "", "🧊"):
        topic.send(topic.framing.encode(text))
    topic.flush()
    duck = duckdb_of(make_frazil(topic))
    assert duck.tuples(f"SELECT value FROM frazil.speed.{topic.name} ORDER BY kafka_offset") == [
        ("a",), ("",), ("🧊",)]


# Field case B045, and renames.
def test_what_changes_inside_shows_at_the_next_load(make_topic, make_frazil, duckdb_of):
    first = record("E", o=record("O", c=record("C", id="int")), l=array(record("L", x="int")),
                   m={"type": "map", "values": record("M", y="int")})
    topic = make_topic(schema=first, partitions=1)
    topic.send({"o": {"c": {"id": 1}}, "l": [{"x": 1}], "m": {"k": {"y": 1}}})
    topic.flush()
    frazil = make_frazil(topic, extra=NOW)
    duck = duckdb_of(frazil)
    assert duck.tuples(f"SELECT o.c.id, l[1].x, m['k'].y FROM frazil.speed.{topic.name}") == [(1, 1, 1)]

    text = ["null", "string"]
    second = record("E", o=record("O", c=record("C", email=text, id="long")),
                    l=array(record("L", z=text, x="int")),
                    m={"type": "map", "values": record("M", w=text, y="int")})
    second = copy.deepcopy(second)
    second["fields"][1].update(name="lines", aliases=["l"])
    x = second["fields"][1]["type"]["items"]["fields"][1]
    x.update(name="count", aliases=["x"])
    topic.use(second)
    topic.send({"o": {"c": {"id": 2**40, "email": "e"}}, "lines": [{"count": 2, "z": "z"}],
                "m": {"k": {"y": 2, "w": "w"}}})
    topic.flush()
    query = (f"SELECT o.c.id, o.c.email, lines[1].count, lines[1].z, m['k'].y, m['k'].w "
             f"FROM frazil.speed.{topic.name} ORDER BY kafka_offset")
    assert duckdb_of(frazil).tuples(query) == [
        (1, None, 1, None, 1, None), (2**40, "e", 2, "z", 2, "w")]
    table = load_catalog("frazil", type="rest", uri=frazil.url).load_table(f"speed.{topic.name}")
    rows = sorted(table.scan().to_arrow().to_pylist(), key=lambda row: row["kafka_offset"])
    assert [row["lines"] for row in rows] == [[{"z": None, "count": 1}], [{"z": "z", "count": 2}]]


def test_a_version_that_cannot_be_followed_gives_way_to_a_good_one(make_topic, make_frazil, duckdb_of):
    topic = make_topic(schema=record("E", id="int", a="int"), partitions=1)
    topic.send({"id": 1, "a": 1})
    topic.flush()
    frazil = make_frazil(topic, extra=NOW)
    assert frazil.load(topic.name).status_code == 200
    topic.use(record("E", id="string", a="int"))
    answer = frazil.load(topic.name)
    assert answer.status_code == 422 and "field id" in answer.json()["error"]["message"]
    topic.use(record("E", id="long", a="int", b=["null", "int"]))
    topic.send({"id": 2, "a": 2, "b": 3})
    topic.flush()
    assert duckdb_of(frazil).tuples(
        f"SELECT id, a, b FROM frazil.speed.{topic.name} ORDER BY kafka_offset") == [
            (1, 1, None), (2, 2, 3)]
