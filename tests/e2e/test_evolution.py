# SPDX-License-Identifier: Apache-2.0
"""A new version of the schema shows at the next load; every Avro type shows as its column."""

import copy
import datetime
import decimal
import uuid

from comparing import assert_metadata_agrees, assert_same_rows
from conftest import ORDER_FIELDS
from harness.orders import ORDER_SCHEMA, order

NOW = ["--schema-cache", "0ms"]
UTC = datetime.timezone.utc


def with_fields(*fields):
    schema = copy.deepcopy(ORDER_SCHEMA)
    schema["fields"] += fields
    return schema


def columns(duck, topic):
    return [row[0] for row in duck.tuples(f"DESCRIBE frazil.speed.{topic.name}")]


def test_a_new_nullable_field_shows_at_the_next_load(make_topic, make_frazil, duckdb_of, services):
    topic = make_topic()
    topic.produce_orders(range(100))
    frazil = make_frazil(topic, extra=NOW)
    duck = duckdb_of(frazil)
    assert duck.value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == 100
    before = frazil.loaded(topic.name)["metadata"]

    topic.use(with_fields({"name": "coupon", "type": ["null", "string"], "default": None}))
    unchanged = frazil.loaded(topic.name)["metadata"]
    assert unchanged["current-snapshot-id"] == before["current-snapshot-id"]
    for number in range(100, 150):
        topic.send({**order(number), "coupon": f"c{number}" if number % 2 else None},
                   partition=number % 3)
    topic.flush()

    fresh = duckdb_of(frazil)
    fields = [*ORDER_FIELDS, "coupon"]
    assert set(columns(fresh, topic)) >= set(fields)
    expected = services.oracle.rows(topic.name, fields)
    found = fresh.rows(f"SELECT {', '.join([*fields, 'kafka_generation', 'kafka_partition'])}, "
                       f"kafka_offset, kafka_timestamp, kafka_key, kafka_headers "
                       f"FROM frazil.speed.{topic.name}")
    assert_same_rows(found, expected)
    assert fresh.value(f"SELECT count(coupon) FROM frazil.speed.{topic.name}") == 25

    def ids(metadata, schema_id):
        schema = next(one for one in metadata["schemas"] if one["schema-id"] == schema_id)
        return {field["name"]: field["id"] for field in schema["fields"]}
    after = frazil.loaded(topic.name)["metadata"]
    old = ids(before, before["current-schema-id"])
    new = ids(after, after["current-schema-id"])
    assert old.items() <= new.items()
    assert new["coupon"] not in old.values()
    for snapshot in (None, before["current-snapshot-id"]):
        assert_metadata_agrees(frazil, topic.name, snapshot)
    # The open connection goes on, too.
    assert duck.value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == 150


def test_an_int_that_becomes_a_long(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(30))
    frazil = make_frazil(topic, extra=NOW)
    assert frazil.load(topic.name).status_code == 200
    schema = copy.deepcopy(ORDER_SCHEMA)
    next(field for field in schema["fields"] if field["name"] == "qty")["type"] = "long"
    topic.use(schema)
    topic.send({**order(30), "qty": 2**40}, partition=0)
    topic.flush()
    duck = duckdb_of(frazil)
    expected = sum(order(number)["qty"] for number in range(30)) + 2**40
    assert duck.value(f"SELECT sum(qty) FROM frazil.speed.{topic.name}") == expected
    assert duck.value(f"SELECT max(qty) FROM frazil.speed.{topic.name}") == 2**40
    assert_metadata_agrees(frazil, topic.name)


def test_a_field_that_leaves_is_null_for_what_comes_later(make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.use(with_fields({"name": "extra", "type": "string"}))
    for number in range(10):
        topic.send({**order(number), "extra": "x"}, partition=0)
    topic.flush()
    frazil = make_frazil(topic, extra=NOW)
    assert duckdb_of(frazil).value(f"SELECT count(extra) FROM frazil.speed.{topic.name}") == 10
    # The same text as the first version: the registry gives the first version's id again, so the
    # newest version is still the second, and the field stays.
    topic.use(ORDER_SCHEMA)
    topic.produce_orders(range(10, 20))
    duck = duckdb_of(frazil)
    assert duck.tuples(f"SELECT count(*), count(extra) FROM frazil.speed.{topic.name}") == [(20, 10)]


def test_a_change_that_cannot_be_followed_is_named(make_topic, make_frazil):
    topic = make_topic()
    topic.produce_orders(range(10))
    frazil = make_frazil(topic, extra=NOW)
    assert frazil.load(topic.name).status_code == 200
    schema = copy.deepcopy(ORDER_SCHEMA)
    next(field for field in schema["fields"] if field["name"] == "qty")["type"] = "string"
    topic.use(schema)
    answer = frazil.load(topic.name)
    assert answer.status_code == 422
    assert "qty" in answer.json()["error"]["message"]


TYPES = {
    "flag": ("boolean", True, False),
    "small": ("float", 0.5, -0.0),
    "raw": ("bytes", b"\0\xff", b""),
    "fixed4": ({"type": "fixed", "name": "Four", "size": 4}, b"abcd", b"\0\0\0\0"),
    "day": ({"type": "int", "logicalType": "date"}, datetime.date(2026, 2, 28), datetime.date(1969, 12, 31)),
    # Shown as microseconds, docs/types.md: Spark cannot read Iceberg's time.
    "clock": ({"type": "long", "logicalType": "time-micros"}, datetime.time(23, 59, 59, 999999),
              datetime.time(0)),
    "micros": ({"type": "long", "logicalType": "timestamp-micros"},
               datetime.datetime(2026, 1, 1, 1, 1, 1, 123456, UTC), datetime.datetime(1, 1, 1, tzinfo=UTC)),
    "wide": ({"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 10},
             decimal.Decimal("1234567890123456789012345678.0123456789"),
             decimal.Decimal("-9999999999999999999999999999.9999999999")),
    "text": (["null", "string"], None, "é"),
    "other_way": (["long", "null"], 2**63 - 1, None),
    "identity": ({"type": "string", "logicalType": "uuid"},
                 uuid.UUID("12345678-1234-5678-1234-567812345678"), uuid.UUID(int=0)),
}


def test_every_type_arrives_as_its_value(make_topic, make_frazil, duckdb_of):
    schema = {"type": "record", "name": "Types",
              "fields": [{"name": name, "type": row[0]} for name, row in TYPES.items()]}
    topic = make_topic(schema=schema, partitions=1)
    for column in (1, 2):
        topic.send({name: row[column] for name, row in TYPES.items()})
    topic.flush()
    duck = duckdb_of(make_frazil(topic))
    found = duck.tuples(f"SELECT {', '.join(TYPES)} FROM frazil.speed.{topic.name} ORDER BY kafka_offset")
    assert len(found) == 2
    for column, row in enumerate(found, start=1):
        for (name, values), value in zip(TYPES.items(), row):
            wanted = values[column]
            if name == "clock":
                wanted = ((wanted.hour * 60 + wanted.minute) * 60 + wanted.second) * 10**6 + wanted.microsecond
            if name == "identity":
                value = uuid.UUID(str(value))
            # -0.0 equals 0.0 but is written otherwise.
            assert (value, type(value), str(value)) == (wanted, type(wanted), str(wanted)), name
