# SPDX-License-Identifier: Apache-2.0
"""A small shop for `make dev`: `orders` and `payments`, made from a number, produced without end with
Confluent's own serializer."""

import datetime
import decimal
import json
import random
import threading
import uuid

from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from harness.orders import ORDER_SCHEMA, order

_MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
_TEXT_OR_NULL = {"type": ["null", "string"], "default": None}
_CURRENCY = {"type": "enum", "name": "Currency", "symbols": ["EUR", "USD", "JPY"]}

PAYMENT_SCHEMA = {
    "type": "record", "name": "Payment", "namespace": "shop",
    "fields": [
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "order_id", "type": "long"},
        {"name": "paid_at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "amount", "type": _MONEY},
        {"name": "currency", "type": _CURRENCY},
        {"name": "payer", "type": {"type": "record", "name": "Payer", "fields": [
            {"name": "name", "type": "string"},
            {"name": "email", **_TEXT_OR_NULL},
            {"name": "address", "type": {"type": "record", "name": "Address", "fields": [
                {"name": "city", "type": "string"},
                {"name": "country", "type": "string"},
                {"name": "zip", **_TEXT_OR_NULL}]}}]}},
        {"name": "items", "type": {"type": "array", "items": {
            "type": "record", "name": "Item", "fields": [
                {"name": "sku", "type": "string"},
                {"name": "quantity", "type": "int"},
                {"name": "price", "type": _MONEY}]}}},
        {"name": "labels", "type": {"type": "map", "values": "string"}},
        {"name": "method", "type": [
            "null",
            {"type": "record", "name": "Card", "fields": [
                {"name": "brand", "type": {"type": "enum", "name": "Brand",
                                           "symbols": ["VISA", "MASTERCARD", "AMEX"]}},
                {"name": "last_digits", "type": "string"},
                {"name": "expires", "type": {"type": "int", "logicalType": "date"}}]},
            {"type": "record", "name": "Transfer", "fields": [
                {"name": "iban", "type": "string"}]}], "default": None},
    ],
}

_CITIES = [("Berlin", "DE"), ("Lyon", "FR"), ("Osaka", "JP"), ("Austin", "US"), ("Porto", "PT")]


def shop_order(number):
    """An order without the extreme values that tests are after, and of now."""
    price = decimal.Decimal(number * 7919 % 20_000).scaleb(-2)
    quantity = number % 5 + 1
    return {**order(number), "ts": datetime.datetime.now(datetime.timezone.utc), "qty": quantity,
            "amount": price * quantity, "price": float(price)}


def _method(number, chance):
    if number % 5 == 0:
        return None
    if number % 5 == 1:
        return ("shop.Transfer", {"iban": f"DE{chance.randrange(10**20):020d}"})
    return ("shop.Card", {"brand": chance.choice(["VISA", "MASTERCARD", "AMEX"]),
                          "last_digits": f"{chance.randrange(10_000):04d}",
                          "expires": datetime.date(2028 + number % 4, 1 + number % 12, 1)})


def shop_payment(number):
    """The payment of the order with that number."""
    chance = random.Random(number)
    city, country = chance.choice(_CITIES)
    items = [{"sku": f"sku-{chance.randrange(200):03d}", "quantity": chance.randrange(1, 4),
              "price": decimal.Decimal(chance.randrange(100, 10_000)).scaleb(-2)}
             for _ in range(1 + number % 3)]
    return {
        "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        "order_id": number,
        "paid_at": datetime.datetime.now(datetime.timezone.utc),
        "amount": sum((item["price"] * item["quantity"] for item in items), decimal.Decimal("0.00")),
        "currency": chance.choice(["EUR", "EUR", "USD", "JPY"]),
        "payer": {"name": f"customer-{chance.randrange(1000):04d}",
                  "email": chance.choice([None, f"c{number}@example.com"]),
                  "address": {"city": city, "country": country, "zip": chance.choice([None, "12345"])}},
        "items": items,
        "labels": {"channel": chance.choice(["web", "app", "store"]), "campaign": f"c{number % 7}"},
        "method": _method(number, chance),
    }


class Shop(threading.Thread):
    """Topics `orders` and `payments`, and a thread that produces into both until it is ended."""

    TOPICS = {"orders": (ORDER_SCHEMA, shop_order), "payments": (PAYMENT_SCHEMA, shop_payment)}

    def __init__(self, kafka, registry_url, at_once=20, pause_seconds=0.2):
        super().__init__(daemon=True)
        self.fault = None
        self._at_once = at_once
        self._pause_seconds = pause_seconds
        self._ended = threading.Event()
        self._next = 0
        self._kafka = kafka
        self._serializers = {
            topic: AvroSerializer(SchemaRegistryClient({"url": registry_url}), json.dumps(schema))
            for topic, (schema, _) in self.TOPICS.items()}
        self._producer = Producer({"bootstrap.servers": kafka, "acks": "all", "linger.ms": 5,
                                   "enable.idempotence": True, "compression.type": "lz4",
                                   "log_level": 2})

    def open(self, partitions=3):
        admin = AdminClient({"bootstrap.servers": self._kafka, "log_level": 2})
        wanted = [NewTopic(topic, partitions, 1) for topic in self.TOPICS]
        for future in admin.create_topics(wanted).values():
            future.result(30)

    def produce(self, count):
        """That many orders and their payments; acknowledged on return."""
        def delivered(error, _message):
            self.fault = self.fault or (KafkaException(error) if error else None)
        for number in range(self._next, self._next + count):
            for topic, (_, make) in self.TOPICS.items():
                value = self._serializers[topic](
                    make(number), SerializationContext(topic, MessageField.VALUE))
                self._producer.produce(topic, value=value, key=str(number).encode(),
                                       on_delivery=delivered)
            self._producer.poll(0)
        self._next += count
        if self._producer.flush(30):
            raise TimeoutError("records were not acknowledged within 30 s")
        if self.fault:
            raise self.fault

    def run(self):
        try:
            while not self._ended.wait(self._pause_seconds):
                self.produce(self._at_once)
        except Exception as error:
            self.fault = error

    def end(self):
        self._ended.set()
        if self.is_alive():
            self.join(10)
