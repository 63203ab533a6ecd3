# SPDX-License-Identifier: Apache-2.0
"""One Kafka and one registry for the session; topics and Frazil processes for each test."""

import collections
import itertools

import pytest

from harness.duckdb_client import DuckDb
from harness.frazil import BINARY, Frazil
from harness.oracle import Oracle
from harness.orders import ORDER_SCHEMA
from harness.ports import free_ports
from harness.services import Kafka, Registry
from harness.tcp_proxy import TcpProxy
from harness.topics import Topic

ORDER_FIELDS = [field["name"] for field in ORDER_SCHEMA["fields"]]

Services = collections.namedtuple("Services", "kafka registry oracle kafka_proxy registry_proxy")


@pytest.fixture(scope="session")
def services(tmp_path_factory):
    """Kafka and registry, and a proxy before each that a test may cut and must open again."""
    folder = tmp_path_factory.mktemp("services")
    proxied, proxy_port, registry_proxy_port = free_ports(3)
    kafka = Kafka(folder / "kafka", proxied=(proxied, proxy_port))
    registry = Registry(folder / "registry")
    kafka_proxy = TcpProxy(proxy_port, proxied)
    registry_proxy = TcpProxy(registry_proxy_port, registry.port)
    try:
        kafka.start()
        registry.start()
        kafka_proxy.open()
        registry_proxy.open()
        yield Services(kafka, registry, Oracle(kafka.address, registry.url), kafka_proxy,
                       registry_proxy)
    finally:
        kafka_proxy.cut()
        registry_proxy.cut()
        kafka.wipe()
        registry.wipe()


_topic_numbers = itertools.count(1)


@pytest.fixture
def make_topic(services, request):
    """make_topic(partitions=..., config=..., ...): a Topic with a name of its own."""
    made = []

    def make(name=None, **options):
        name = name or f"t{next(_topic_numbers)}_{request.node.originalname.removeprefix('test_')}"
        made.append(Topic(services.kafka.address, services.registry, name[:100], **options))
        return made[-1]
    yield make
    for topic in made:
        topic.producer.purge()


@pytest.fixture
def make_frazil(services, tmp_path, request):
    """make_frazil(topics, ...): a started process; all are ended after the test."""
    assert BINARY.exists(), f"{BINARY} is missing; run `make build`"
    started = []

    def make(*topics, start=True, ready=True, kafka=None, registry=None, data_dir=None, **options):
        names = [getattr(topic, "name", topic) for topic in topics]
        frazil = Frazil(kafka or services.kafka.address, registry or services.registry.url, names,
                        data_dir or tmp_path / f"data{len(started)}", **options)
        started.append(frazil)
        return frazil.start(ready=ready) if start else frazil
    yield make
    failed = getattr(request.node, "call_failed", False)
    for frazil in started:
        if failed:
            print(f"--- the end of {frazil.log.name} ---\n{frazil.tail()}")
        frazil.kill()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.call_failed = report.failed
    return report


@pytest.fixture
def duckdb_of():
    """duckdb_of(frazil): a DuckDB attached to it; closed after the test."""
    opened = []

    def attach(frazil):
        opened.append(DuckDb(frazil.url))
        return opened[-1]
    yield attach
    for client in opened:
        client.close()
