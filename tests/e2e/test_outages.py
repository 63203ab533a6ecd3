# SPDX-License-Identifier: Apache-2.0
"""Kafka or the registry cannot be reached: errors that help, and recovery without a restart."""

import pytest
import requests

from harness.services import Kafka
from harness.topics import Topic
from harness.waiting import wait_for

QUICK = ["--kafka-timeout", "2s", "--registry-timeout", "1s", "--schema-cache", "0ms",
         "--load-timeout", "8s"]


@pytest.fixture
def mended(services):
    """Proxies are open again afterwards, whatever the test did."""
    yield services
    for proxy in (services.kafka_proxy, services.registry_proxy):
        proxy.cut()
        proxy.open()


def assert_unavailable(answer, address):
    assert answer.status_code == 503, answer.text
    error = answer.json()["error"]
    assert error["type"] == "ServiceUnavailableException"
    assert address in error["message"]
    return error["message"]


def test_kafka_is_away_at_the_start(mended, make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(20))
    mended.kafka_proxy.cut()
    frazil = make_frazil(topic, ready=False, kafka=mended.kafka_proxy.address, extra=QUICK)
    assert_unavailable(frazil.load(topic.name), mended.kafka_proxy.address)
    mended.kafka_proxy.open()
    wait_for(lambda: frazil.load(topic.name).status_code == 200, "frazil recovers", 15)
    assert duckdb_of(frazil).value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == 20


def test_kafka_goes_away_and_comes_back(mended, make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(20))
    frazil = make_frazil(topic, kafka=mended.kafka_proxy.address, extra=QUICK)
    duck = duckdb_of(frazil)
    count = f"SELECT count(*) FROM frazil.speed.{topic.name}"
    assert duck.value(count) == 20
    mended.kafka_proxy.cut()
    # A state that may be old is never shown as if it were now.
    assert_unavailable(frazil.load(topic.name), mended.kafka_proxy.address)
    topic.produce_orders(range(20, 30))
    mended.kafka_proxy.open()
    wait_for(lambda: frazil.load(topic.name).status_code == 200, "frazil recovers", 15)
    assert duck.value(count) == 30


@pytest.mark.apache_only("the embedded broker keeps nothing over a restart")
def test_a_broker_restart_loses_nothing(tmp_path, services, make_frazil, duckdb_of):
    kafka = Kafka(tmp_path / "kafka").start()
    try:
        topic = Topic(kafka.address, services.registry, "restarted")
        topic.produce_orders(range(50))
        frazil = make_frazil(topic, kafka=kafka.address, extra=QUICK)
        duck = duckdb_of(frazil)
        count = f"SELECT count(*), count(DISTINCT id) FROM frazil.speed.{topic.name}"
        assert duck.tuples(count) == [(50, 50)]
        before = frazil.loaded(topic.name)["metadata"]["current-snapshot-id"]
        kafka.stop()
        assert_unavailable(frazil.load(topic.name), kafka.address)
        kafka.start()
        wait_for(lambda: frazil.load(topic.name).status_code == 200, "frazil recovers", 20)
        assert frazil.loaded(topic.name)["metadata"]["current-snapshot-id"] == before
        topic.produce_orders(range(50, 60))
        assert duck.tuples(count) == [(60, 60)]
    finally:
        kafka.wipe()


def registry_proxy_url(services):
    return f"http://{services.registry_proxy.address}{services.registry.path}"


def test_r5_the_registry_is_away_the_last_known_schema_serves(mended, make_topic, make_frazil,
                                                              duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(20))
    frazil = make_frazil(topic, registry=registry_proxy_url(mended), extra=QUICK)
    duck = duckdb_of(frazil)
    count = f"SELECT count(*) FROM frazil.speed.{topic.name}"
    assert duck.value(count) == 20
    mended.registry_proxy.cut()
    topic.produce_orders(range(20, 30))
    assert duck.value(count) == 30
    assert frazil.metric("frazil_topics_stale") == 1
    answer = requests.get(f"{frazil.url}/frazil/v1/status", timeout=30).json()
    assert answer["registry"]["reachable"] is False
    assert answer["tables"][0]["last-known-schema-since-ms"] <= answer["now-ms"]
    text = frazil.command_output("status")
    assert f"speed.{topic.name}: the last known schemas serve since" in text
    assert "not reachable" in text
    mended.registry_proxy.open()
    wait_for(lambda: frazil.load(topic.name).ok and frazil.metric("frazil_topics_stale") == 0,
             "the registry is asked again", 15)
    answer = requests.get(f"{frazil.url}/frazil/v1/status", timeout=30).json()
    assert answer["registry"]["reachable"] is True
    assert answer["tables"][0]["last-known-schema-since-ms"] is None
    assert "last known schemas" not in frazil.command_output("status")


def test_the_registry_is_away_at_the_first_load(mended, make_topic, make_frazil, duckdb_of):
    topic = make_topic()
    topic.produce_orders(range(20))
    mended.registry_proxy.cut()
    frazil = make_frazil(topic, ready=False, registry=registry_proxy_url(mended), extra=QUICK)
    assert_unavailable(frazil.load(topic.name), mended.registry_proxy.address)
    mended.registry_proxy.open()
    wait_for(lambda: frazil.load(topic.name).status_code == 200, "frazil recovers", 15)
    assert duckdb_of(frazil).value(f"SELECT count(*) FROM frazil.speed.{topic.name}") == 20
