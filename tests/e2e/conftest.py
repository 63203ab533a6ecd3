# SPDX-License-Identifier: Apache-2.0
"""One Kafka and one registry for the session, of either kind; topics and Frazil processes for each
test."""

import collections
import itertools

import pytest

from harness.duckdb_client import DuckDb
from harness.frazil import BINARY, Frazil
from harness.oracle import Oracle
from harness.orders import ORDER_SCHEMA
from harness.ports import free_ports
from harness.sandbox import Sandbox
from harness.services import Kafka, Registry
from harness.tcp_proxy import TcpProxy
from harness.topics import Topic

ORDER_FIELDS = [field["name"] for field in ORDER_SCHEMA["fields"]]

Services = collections.namedtuple("Services", "kafka registry oracle kafka_proxy registry_proxy")


class Apache:
    """Apache Kafka and Apicurio Registry."""

    def __init__(self, folder, proxied):
        self.kafka = Kafka(folder / "kafka", proxied=proxied)
        self.registry = Registry(folder / "registry")

    def start(self):
        self.kafka.start()
        self.registry.start()

    def stop(self):
        self.kafka.wipe()
        self.registry.wipe()


class Embedded:
    """What `frazil sandbox` has in it."""

    def __init__(self, folder, proxied):
        self.kafka = Sandbox(folder, proxied=proxied)
        self.registry = self.kafka.registry

    def start(self):
        self.kafka.start()

    def stop(self):
        status = self.kafka.stop()
        assert status == 0, f"the sandbox ended with status {status}"


BACKENDS = {"apache": Apache, "embedded": Embedded}


@pytest.fixture(scope="session", params=BACKENDS)
def services(tmp_path_factory, request):
    """Kafka and registry, and a proxy before each that a test may cut and must open again."""
    folder = tmp_path_factory.mktemp(f"services-{request.param}")
    proxied, proxy_port, registry_proxy_port = free_ports(3)
    backend = BACKENDS[request.param](folder, (proxied, proxy_port))
    kafka_proxy = TcpProxy(proxy_port, proxied)
    registry_proxy = TcpProxy(registry_proxy_port, backend.registry.port)
    try:
        backend.start()
        kafka_proxy.open()
        registry_proxy.open()
        yield Services(backend.kafka, backend.registry,
                       Oracle(backend.kafka.address, backend.registry.url), kafka_proxy,
                       registry_proxy)
    finally:
        kafka_proxy.cut()
        registry_proxy.cut()
        backend.stop()


def pytest_collection_modifyitems(items):
    """A test that needs what the embedded broker does not have says so: apache_only(reason)."""
    for item in items:
        only = item.get_closest_marker("apache_only")
        backend = item.callspec.params.get("services") if hasattr(item, "callspec") else None
        if only and backend == "embedded":
            item.add_marker(pytest.mark.skip(reason=only.args[0]))


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
