# SPDX-License-Identifier: Apache-2.0
"""The records that most tests use, made from a number alone, and Confluent's framing."""

import datetime
import decimal
import io
import json
import random

import fastavro

STATUSES = ["NEW", "PAID", "PACKED", "SENT", "RETURNED"]

ORDER_SCHEMA = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "customer", "type": "string"},
        {"name": "amount",
         "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
        {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": STATUSES}},
        {"name": "qty", "type": "int"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "price", "type": "double"},
    ],
}

_EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def order(number):
    """The same number gives the same order."""
    chance = random.Random(number)
    cents = chance.choice([0, 1, -1, 999_999_999, -999_999_999, chance.randrange(-10**7, 10**7)])
    return {
        "id": number,
        "customer": f"customer-{chance.randrange(1000):04d}",
        "amount": decimal.Decimal(cents).scaleb(-2),
        "ts": _EPOCH + datetime.timedelta(milliseconds=chance.randrange(-10**10, 10**10)),
        "status": chance.choice(STATUSES),
        "qty": chance.choice([0, -1, 2**31 - 1, -2**31, chance.randrange(100)]),
        "note": chance.choice([None, None, "", "left at the door", "Grüße, 日本 🧊"]),
        "price": chance.choice([0.0, 0.1, -1.5, 1e300, chance.uniform(-1000, 1000)]),
    }


class AvroFraming:
    """Values as Confluent's serializer writes them: 0, the schema's id, the record."""

    def __init__(self, schema, schema_id):
        self.schema = fastavro.parse_schema(json.loads(json.dumps(schema)))
        self.schema_id = schema_id

    def encode(self, record):
        out = io.BytesIO()
        out.write(b"\0" + self.schema_id.to_bytes(4, "big"))
        fastavro.schemaless_writer(out, self.schema, record)
        return out.getvalue()
