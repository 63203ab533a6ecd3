# SPDX-License-Identifier: Apache-2.0
"""What a topic holds, found without Frazil: librdkafka's read_committed consumer and fastavro."""

import datetime
import io
import json
import uuid

import fastavro
import requests
from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka import OFFSET_BEGINNING

UTC = datetime.timezone.utc
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


class Oracle:
    def __init__(self, kafka, registry_url):
        self._kafka = kafka
        self._registry_url = registry_url
        self._schemas = {}

    def messages(self, topic):
        """All committed records, by partition and offset."""
        consumer = Consumer({"bootstrap.servers": self._kafka, "group.id": f"oracle-{uuid.uuid4()}",
                             "isolation.level": "read_committed", "enable.auto.commit": False,
                             "enable.partition.eof": True, "auto.offset.reset": "earliest",
                             "check.crcs": True, "log_level": 2})
        try:
            partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
            consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in partitions])
            open_partitions = set(partitions)
            found = []
            while open_partitions:
                message = consumer.poll(10)
                if message is None:
                    raise TimeoutError(f"no end of {topic} in partitions {open_partitions}")
                if message.error() is None:
                    found.append(message)
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    open_partitions.discard(message.partition())
                else:
                    raise KafkaException(message.error())
            return sorted(found, key=lambda message: (message.partition(), message.offset()))
        finally:
            consumer.close()

    def rows(self, topic, fields):
        """Rows as the table should hold them: `fields` of the value, then the kafka_* columns."""
        return [self._row(message, fields) for message in self.messages(topic)]

    def _row(self, message, fields):
        value = message.value()
        record = {} if value is None else self._decode(value)
        kind, millis = message.timestamp()
        row = {field: record.get(field) for field in fields}
        row["kafka_generation"] = 0
        row["kafka_partition"] = message.partition()
        row["kafka_offset"] = message.offset()
        row["kafka_timestamp"] = (None if kind == TIMESTAMP_NOT_AVAILABLE
                                  else _EPOCH + datetime.timedelta(milliseconds=millis))
        row["kafka_key"] = message.key()
        row["kafka_headers"] = [{"key": key, "value": content}
                                for key, content in message.headers() or []]
        return row

    def _decode(self, value):
        schema_id = int.from_bytes(value[1:5], "big")
        if schema_id not in self._schemas:
            answer = requests.get(f"{self._registry_url}/schemas/ids/{schema_id}", timeout=10)
            answer.raise_for_status()
            self._schemas[schema_id] = fastavro.parse_schema(json.loads(answer.json()["schema"]))
        return fastavro.schemaless_reader(io.BytesIO(value[5:]), self._schemas[schema_id], None)
