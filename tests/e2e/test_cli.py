# SPDX-License-Identifier: Apache-2.0
"""The commands that ask a running server: what they print, and how they end."""

import json
import os
import re
import subprocess

import pytest
import requests
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from harness.frazil import BINARY
from harness.orders import order
from harness.ports import HOST, free_ports


def cells(text, first):
    """The row of a printed table that begins with this word."""
    rows = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    found = [row for row in rows if row[0] == first]
    assert len(found) == 1, f"{first} is not one row of:\n{text}"
    return found[0]


@pytest.fixture
def served(make_topic, make_frazil):
    """Two partitions, of which the second has records; loaded twice."""
    topic = make_topic(partitions=2)
    frazil = make_frazil(topic)
    for numbers in (range(4), range(4, 10)):
        for number in numbers:
            topic.send(order(number), partition=1)
        topic.flush()
        frazil.loaded(topic.name)
    return topic, frazil


def test_topics(served, make_topic):
    topic, frazil = served
    unshown = make_topic(partitions=1)
    text = frazil.command_output("topics")
    assert cells(text, topic.name)[:4] == [topic.name, "2", "no", f"speed.{topic.name}"]
    assert cells(text, unshown.name)[:4] == [unshown.name, "1", "no", "-"]
    answer = json.loads(frazil.command_output("topics", "--output", "json"))
    found = {one["name"]: one for one in answer["topics"]}
    assert found[topic.name]["table"] == topic.name and found[topic.name]["partitions"] == 2
    assert found[unshown.name]["table"] is None


def test_tables(served):
    topic, frazil = served
    row = cells(frazil.command_output("tables"), f"speed.{topic.name}")
    assert row[1:4] == [topic.name, "10", "2"] and row[-1] == "-"
    metadata = frazil.loaded(topic.name)["metadata"]
    table, = json.loads(frazil.command_output("tables", "--output", "json"))["tables"]
    assert (table["namespace"], table["name"]) == ("speed", topic.name)
    assert table["table-uuid"] == metadata["table-uuid"]
    assert table["snapshot"]["snapshot-id"] == metadata["current-snapshot-id"]
    assert table["snapshot"]["total-records"] == 10
    assert table["loads"]["last-shown-ms"] > 0 and table["loads"]["last-refusal"] is None


def test_describe(served):
    topic, frazil = served
    metadata = frazil.loaded(topic.name)["metadata"]
    table = json.loads(frazil.command_output("describe", f"speed.{topic.name}", "--output", "json"))
    fields = {one["name"]: one["id"] for one in metadata["schemas"][-1]["fields"]}
    columns = {one["name"]: one for one in table["columns"] if "." not in one["name"]}
    assert {name: column["id"] for name, column in columns.items()} == fields
    origin = columns["amount"]["origin"]
    assert origin["subject"] == f"{topic.name}-value" and origin["subject-version"] == 1
    assert origin["format"] == "AVRO" and origin["type"] == "bytes decimal(10,2)"
    assert columns["kafka_offset"]["origin"] is None
    ranges = [(one["generation"], one["partition"], one["start"], one["end"])
              for one in table["partitions"]]
    assert ranges == [(0, 0, 0, 0), (0, 1, 0, 10)]
    assert [one["high-watermark"] for one in table["partitions"]] == [0, 10]
    assert ([one["snapshot-id"] for one in table["snapshots"]]
            == [one["snapshot-id"] for one in metadata["snapshots"]])
    assert [one["added-records"] for one in table["snapshots"]] == [4, 6]

    text = frazil.command_output("describe", f"speed.{topic.name}")
    assert re.search(rf"^uuid +{metadata['table-uuid']}$", text, re.MULTILINE)
    assert cells(text, str(fields["amount"])) == [
        str(fields["amount"]), "amount", "decimal(10, 2)", "no",
        f"{topic.name}-value v1 (schema {origin['schema-id']}, AVRO): bytes decimal(10,2)"]
    assert re.search(r"^ +0 +1 +\[0, 10\) +0 +10 +10 +0 +-$", text, re.MULTILINE)
    assert cells(text, str(metadata["current-snapshot-id"]))[2:] == ["append", "6", "10", "2"]


def test_status(served, services):
    topic, frazil = served
    answer = json.loads(frazil.command_output("status", "--output", "json"))
    assert answer["kafka"] == {"address": services.kafka.address, "reachable": True, "error": None}
    assert answer["catalog"] == frazil.url and answer["s3"] == frazil.s3_url
    assert answer["tables"][0]["partitions"][1]["last-stable"] == 10
    text = frazil.command_output("status")
    assert f"{services.kafka.address}  reachable" in text
    row = cells(text, f"speed.{topic.name}")
    assert row[1] == "10" and row[3:] == ["0", "-"]


def test_status_names_the_record_that_cannot_be_decoded(make_topic, make_frazil):
    topic = make_topic(partitions=2)
    topic.produce_orders(range(4))
    topic.send(topic.framing.encode(order(5))[:-4], partition=1)
    topic.flush()
    frazil = make_frazil(topic)
    assert frazil.load(topic.name).status_code == 422
    answer = json.loads(frazil.command_output("status", "--output", "json"))
    refusal = answer["tables"][0]["loads"]["last-refusal"]
    assert refusal["code"] == "undecodable_record"
    assert (refusal["partition"], refusal["offset"]) == (1, 2)
    assert refusal["schema-id"] == topic.framing.schema_id
    assert answer["started-ms"] <= refusal["time-ms"] <= answer["now-ms"]
    text = frazil.command_output("status")
    refused = text[text.index("refused loads"):]
    row = cells(refused, f"speed.{topic.name}")
    assert row[1:5] == ["undecodable_record", "1", "2", str(topic.framing.schema_id)]
    assert "check what produced it" in refused


def test_status_names_the_record_whose_schema_is_unknown(make_topic, make_frazil):
    topic = make_topic(partitions=1)
    topic.send(order(1))
    topic.send(b"\0" + (2**31 - 5).to_bytes(4, "big") + b"abc")
    topic.flush()
    frazil = make_frazil(topic)
    assert frazil.load(topic.name).status_code == 422
    table, = json.loads(frazil.command_output("tables", "--output", "json"))["tables"]
    refusal = table["loads"]["last-refusal"]
    assert (refusal["partition"], refusal["offset"], refusal["schema-id"]) == (0, 1, 2**31 - 5)


def test_status_tells_that_a_subject_came_too_late(make_topic, make_frazil):
    topic = make_topic(schema=None)
    topic.send(b"plain")
    topic.flush()
    frazil = make_frazil(topic, extra=["--schema-cache", "0ms"])
    frazil.loaded(topic.name)
    topic.use({"type": "record", "name": "N", "fields": [{"name": "s", "type": "string"}]})
    frazil.loaded(topic.name)
    answer = json.loads(frazil.command_output("status", "--output", "json"))
    notice = answer["tables"][0]["schema-notice"]
    assert f"{topic.name}-value" in notice
    assert f"speed.{topic.name}: {notice}" in frazil.command_output("status")


@pytest.mark.apache_only("the embedded broker has no transactions")
def test_r7_an_open_transaction_is_told_with_its_producer(make_topic, make_frazil):
    topic = make_topic(partitions=1)
    topic.produce_orders(range(3))
    writer = topic.new_producer(transactional_id=f"{topic.name}-writer")
    writer.init_transactions(30)
    writer.begin_transaction()
    topic.send(order(3), partition=0, producer=writer)
    topic.flush(writer)
    topic.produce_orders(range(4, 6))
    frazil = make_frazil(topic)
    assert frazil.loaded(topic.name)["metadata"]["snapshots"][-1]["summary"]["total-records"] == "3"
    assert frazil.metric("frazil_open_transaction_records") == 3
    partition, = json.loads(frazil.command_output("status", "--output", "json"))["tables"][0]["partitions"]
    assert (partition["last-stable"], partition["high-watermark"]) == (3, 6)
    assert partition["open-transaction-records"] == 3 and partition["producer-id"] >= 0
    assert f"3 behind producer {partition['producer-id']}" in frazil.command_output("status")
    writer.commit_transaction()
    topic.wait_for_markers()
    frazil.loaded(topic.name)
    assert frazil.metric("frazil_open_transaction_records") == 0
    assert "behind producer" not in frazil.command_output("status")


def test_records_that_were_lost_are_told(make_topic, make_frazil, services):
    topic = make_topic(partitions=1)
    topic.produce_orders(range(10))
    frazil = make_frazil(topic)
    frazil.loaded(topic.name)
    admin = AdminClient({"bootstrap.servers": services.kafka.address})
    for future in admin.delete_records([TopicPartition(topic.name, 0, 4)]).values():
        future.result(30)
    frazil.loaded(topic.name)
    lost, = json.loads(frazil.command_output("status", "--output", "json"))["tables"][0]["lost"]
    assert (lost["generation"], lost["partition"], lost["start"], lost["end"]) == (0, 0, 0, 4)
    text = frazil.command_output("status")
    assert "[0, 4)" in text[text.index("lost records"):]


@pytest.mark.parametrize("command", [["topics"], ["tables"], ["status"], ["describe", "speed.orders"]])
def test_a_server_that_is_not_there(command):
    address = f"http://{HOST}:{free_ports(1)[0]}"
    done = subprocess.run([str(BINARY), *command], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "FRAZIL_SERVER": address})
    assert done.returncode == 69 and not done.stdout
    assert address in done.stderr and "frazil serve" in done.stderr and "--server" in done.stderr


def test_the_flag_wins_over_the_environment(served):
    topic, frazil = served
    done = subprocess.run([str(BINARY), "tables", "--server", frazil.url], capture_output=True,
                          text=True, timeout=60,
                          env={**os.environ, "FRAZIL_SERVER": f"http://{HOST}:{free_ports(1)[0]}"})
    assert done.returncode == 0, done.stderr
    assert f"speed.{topic.name}" in done.stdout


def test_an_unknown_table(served):
    _, frazil = served
    done = frazil.run_command("describe", "speed.nothing")
    assert done.returncode == 2 and not done.stdout
    assert "speed.nothing" in done.stderr
    assert requests.get(f"{frazil.url}/frazil/v1/tables/speed/nothing", timeout=10).status_code == 404
    done = frazil.run_command("describe", "nothing")
    assert done.returncode == 2
    assert "speed.orders" in done.stderr
