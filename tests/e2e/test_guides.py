# SPDX-License-Identifier: Apache-2.0
"""The guide's commands do what the pages say: each block is taken from its page and run."""

import os
import re
import shlex
import subprocess

import duckdb
import pytest

from harness.duckdb_client import EXTENSIONS
from harness.frazil import BINARY, Frazil
from harness.ports import HOST, free_ports
from harness.services import ROOT
from harness.topics import Topic
from harness.waiting import wait_for

GUIDE = ROOT / "docs" / "guide"
TOPICS = ["orders", "pg.public.orders", "Clicks-EU"]


def blocks(page, language):
    text = (GUIDE / page).read_text()
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no {language}"
    return found


@pytest.fixture(scope="module")
def served(services, tmp_path_factory):
    topics = []
    for name in TOPICS:
        topic = Topic(services.kafka.address, services.registry, name, partitions=2)
        topics.append(topic)
        topic.send({**_order(1)}, headers=[("trace", b"1")], partition=1)
        topic.produce_orders(range(2, 60))
    frazil = Frazil(services.kafka.address, services.registry.url, TOPICS,
                    tmp_path_factory.mktemp("guides") / "data").start()
    yield frazil
    frazil.kill()
    # Other tests use the names that guides do.
    for topic in topics:
        topic.delete()


def _order(number):
    from harness.orders import order
    return order(number)


def test_duckdb(served):
    snapshot = served.loaded("orders")["metadata"]["current-snapshot-id"]
    connection = duckdb.connect(":memory:", config={"extension_directory": str(EXTENSIONS)})
    for extension in ("avro", "httpfs"):
        connection.execute(f"LOAD {extension}")
    ran = 0
    for block in blocks("duckdb.md", "sql"):
        for statement in duckdb.extract_statements(block):
            text = statement.query.replace("http://127.0.0.1:8181", served.url)
            text = text.replace("4598121213545465465", str(snapshot))
            if text.strip().startswith("INSTALL"):
                continue
            rows = connection.execute(text).fetchall()
            if text.strip().startswith(("SELECT", "DESCRIBE", "SHOW")):
                assert rows, text
            ran += 1
    connection.close()
    assert ran > 15


def test_pyiceberg(served):
    scope = {}
    for block in blocks("pyiceberg.md", "python"):
        exec(compile(block.replace("http://127.0.0.1:8181", served.url), "pyiceberg.md", "exec"), scope)
    assert scope["count"] == scope["total"] == scope["then"].num_rows == 59
    assert scope["rows"].num_rows > 0 and scope["coordinates"].num_rows > 0
    assert scope["first"].num_rows == 5 and scope["frame"].height == 59
    assert scope["as_of"].snapshot_id == scope["snapshot"].snapshot_id
    assert ["trace"] in scope["first_keys"]


def test_the_configuration_starts(served, services, tmp_path):
    page = blocks("configuration.md", "yaml")[0]
    port, s3_port = free_ports(2)
    file = tmp_path / "frazil.yaml"
    file.write_text(page.replace("127.0.0.1:9092", services.kafka.address)
                    .replace("http://127.0.0.1:8081", services.registry.url)
                    .replace("/var/lib/frazil", str(tmp_path / "data")))
    for command in blocks("configuration.md", "sh"):
        words = shlex.split(command.replace("\\\n", " ").replace("frazil.yaml", str(file)))
        words = [word.replace("8181", str(port)).replace("8182", str(s3_port)) for word in words[1:]]
        if "--listen" not in words:
            words += ["--listen", f"{HOST}:{port}", "--s3-listen", f"{HOST}:{s3_port}"]
        process = subprocess.Popen([str(BINARY), *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            environment = {**os.environ, "FRAZIL_SERVER": f"http://{HOST}:{port}"}

            def listed():
                assert process.poll() is None, process.stderr.read()
                done = subprocess.run([str(BINARY), "tables"], env=environment, capture_output=True,
                                      text=True, timeout=60)
                return done.stdout if done.returncode == 0 else ""
            wait_for(listed, "the server answers", 30)
            tables = listed()
            assert "speed.pg_orders " in tables and "speed.pg.public.orders" not in tables
        finally:
            process.terminate()
            process.wait(15)


def test_the_commands_of_the_guide(served):
    environment = {**os.environ, "FRAZIL_SERVER": served.url}
    for line in blocks("README.md", "sh")[0].splitlines():
        done = subprocess.run([str(BINARY), *shlex.split(line)[1:]], env=environment, timeout=60,
                              capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        assert "orders" in done.stdout
