# SPDX-License-Identifier: Apache-2.0
"""Making topics and producing into them with librdkafka."""

import json

from confluent_kafka import IsolationLevel, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic, OffsetSpec

from harness.orders import ORDER_SCHEMA, AvroFraming, order
from harness.waiting import wait_for


class Topic:
    """One topic, its registered schema and a producer that waits for every acknowledgement."""

    def __init__(self, kafka, registry, name, schema=ORDER_SCHEMA, partitions=3, config=None,
                 compression="lz4", create=True):
        self.kafka = kafka
        self.registry = registry
        self.name = name
        self.partitions = partitions
        self.framing = None
        if schema is not None:
            self.use(schema)
        self._admin = AdminClient({"bootstrap.servers": kafka, "log_level": 2})
        if create:
            self.create(config)
        self._compression = compression
        self.producer = self.new_producer(compression)

    def create(self, config=None):
        new = NewTopic(self.name, num_partitions=self.partitions, replication_factor=1,
                       config=config or {})
        self._admin.create_topics([new])[self.name].result(30)
        self._wait_for_leaders(self.partitions)

    def add_partitions(self, total):
        self._admin.create_partitions([NewPartitions(self.name, total)])[self.name].result(30)
        self.partitions = total
        self._wait_for_leaders(total)
        # The old one would believe in the old number of partitions for minutes.
        self.producer = self.new_producer(self._compression)

    def delete(self):
        self._admin.delete_topics([self.name])[self.name].result(30)

    def _wait_for_leaders(self, count):
        def complete():
            topic = self._admin.list_topics(self.name, timeout=10).topics[self.name]
            return (topic.error is None and len(topic.partitions) == count
                    and all(part.leader >= 0 for part in topic.partitions.values()))
        wait_for(complete, f"topic {self.name} has leaders")

    def use(self, schema):
        """Registers the schema and frames with it from now on."""
        schema_id = self.registry.register(f"{self.name}-value", json.dumps(schema))
        self.framing = AvroFraming(schema, schema_id)
        return schema_id

    def new_producer(self, compression="lz4", **extra):
        settings = {"bootstrap.servers": self.kafka, "acks": "all", "enable.idempotence": True,
                    "linger.ms": 2, "compression.type": compression, "log_level": 2}
        return Producer({**settings, **{key.replace("_", "."): value for key, value in extra.items()}})

    def send(self, value, key=None, partition=None, headers=None, producer=None, timestamp=None):
        """Queues one record; `value` is a dict (framed), bytes as they are, or None."""
        if isinstance(value, dict):
            value = self.framing.encode(value)
        more = {}
        if partition is not None:
            more["partition"] = partition
        if timestamp is not None:
            more["timestamp"] = timestamp
        producer = producer or self.producer

        def failed(error, _message):
            if error is not None:
                raise KafkaException(error)
        while True:
            try:
                producer.produce(self.name, value=value, key=key, headers=headers,
                                 on_delivery=failed, **more)
                return
            except BufferError:
                producer.poll(0.1)

    def flush(self, producer=None):
        left = (producer or self.producer).flush(30)
        if left:
            raise TimeoutError(f"{left} records were not acknowledged")

    def wait_for_markers(self):
        """Until no transaction is open: a commit returns before its markers stand in the log."""
        def ends(level):
            asked = {TopicPartition(self.name, number): OffsetSpec.latest()
                     for number in range(self.partitions)}
            return {place.partition: answer.result(10).offset for place, answer
                    in self._admin.list_offsets(asked, isolation_level=level).items()}
        wait_for(lambda: ends(IsolationLevel.READ_COMMITTED) == ends(IsolationLevel.READ_UNCOMMITTED),
                 f"transactions in {self.name} have ended")

    def produce_orders(self, numbers, **options):
        """Orders by number, spread over the partitions, acknowledged on return."""
        for number in numbers:
            self.send(order(number), key=str(number).encode(), partition=number % self.partitions,
                      **options)
        self.flush()
