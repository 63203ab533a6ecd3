# SPDX-License-Identifier: Apache-2.0
"""Which tables there are and what they are called: discovery, dotted names, aliases, clashes, and
the addresses under which clients are told to come."""

import subprocess

import pytest
from pyiceberg.catalog import load_catalog

from harness.duckdb_client import DuckDb
from harness.frazil import BINARY, Frazil
from harness.ports import free_ports
from harness.tcp_proxy import TcpProxy
from harness.waiting import wait_for


def tables(frazil):
    """The names that the catalog lists."""
    catalog = load_catalog("frazil", type="rest", uri=frazil.url)
    return [".".join(name[1:]) for name in catalog.list_tables("speed")]


def refused_at_start(services, folder, *arguments):
    done = subprocess.run([str(BINARY), "serve", "--kafka", services.kafka.address, "--registry",
                           services.registry.url, "--data-dir", str(folder), *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    assert done.returncode == 78, done.stderr
    return done.stderr


def test_a_topic_that_is_made_after_the_start_is_a_table(make_topic, make_frazil, duckdb_of):
    early = make_topic("found-early")
    frazil = make_frazil("found-*")
    assert tables(frazil) == [early.name]
    late = make_topic("found-late")
    late.produce_orders(range(7))
    # A load finds it at once; a list is believed for a second.
    assert frazil.load(late.name).status_code == 200
    wait_for(lambda: tables(frazil) == [early.name, late.name], "the new topic is listed", 15)
    assert duckdb_of(frazil).value('SELECT count(*) FROM frazil.speed."found-late"') == 7


def test_a_topic_that_is_deleted_leaves_the_list(make_topic, make_frazil):
    kept, gone = make_topic("leave-kept"), make_topic("leave-gone")
    gone.produce_orders(range(3))
    frazil = make_frazil("leave-*")
    assert frazil.load(gone.name).status_code == 200
    assert tables(frazil) == [gone.name, kept.name]
    gone.delete()
    wait_for(lambda: tables(frazil) == [kept.name], "the deleted topic leaves the list", 30)
    wait_for(lambda: frazil.load(gone.name).status_code == 404, "its table is 404", 15)
    assert frazil.load(gone.name).json()["error"]["type"] == "NoSuchTableException"
    assert frazil.load(kept.name).status_code == 200


def test_internal_topics_are_no_tables(make_topic, make_frazil):
    make_topic("_hidden")
    shown = make_topic("not-hidden")
    listed = tables(make_frazil("*"))
    assert shown.name in listed
    assert not [name for name in listed if name.startswith("_")]


@pytest.mark.parametrize("name", ["wal.public.orders", "Visits-EU"])
def test_dots_dashes_and_capitals_are_kept(make_topic, make_frazil, duckdb_of, services, name):
    topic = make_topic(name)
    topic.produce_orders(range(40))
    frazil = make_frazil(topic)
    assert tables(frazil) == [name]
    assert duckdb_of(frazil).value(f'SELECT count(DISTINCT id) FROM frazil.speed."{name}"') == 40
    table = load_catalog("frazil", type="rest", uri=frazil.url).load_table(("speed", name))
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == list(range(40))


def test_an_alias_that_comes_later_keeps_uuid_and_history(make_topic, make_frazil, duckdb_of, tmp_path):
    topic = make_topic("aliased.later")
    topic.produce_orders(range(10))
    first = make_frazil(topic, data_dir=tmp_path / "kept")
    before = first.loaded(topic.name)
    assert first.stop() == 0
    topic.produce_orders(range(10, 15))
    second = make_frazil(topic, data_dir=tmp_path / "kept",
                         extra=["--aliases", f"{topic.name}=shorter"])
    assert tables(second) == ["shorter"]
    assert second.load(topic.name).status_code == 404
    after = second.loaded("shorter")["metadata"]
    assert after["table-uuid"] == before["metadata"]["table-uuid"]
    assert after["location"] == before["metadata"]["location"]
    old = before["metadata"]["current-snapshot-id"]
    assert [one["snapshot-id"] for one in after["snapshots"]] == [old, after["current-snapshot-id"]]
    duck = duckdb_of(second)
    assert duck.value("SELECT count(*) FROM frazil.speed.shorter") == 15
    assert duck.value(f"SELECT count(*) FROM frazil.speed.shorter AT (VERSION => {old})") == 10


def test_names_that_differ_by_case_are_refused_and_others_work(make_topic, make_frazil, services):
    upper, lower, other = make_topic("case-Twice"), make_topic("case-twice"), make_topic("case-other")
    for topic in (upper, lower, other):
        topic.produce_orders(range(3))
    frazil = make_frazil("case-*")
    for topic, rival in ((upper, lower), (lower, upper)):
        answer = frazil.load(topic.name)
        assert 400 <= answer.status_code < 500, answer.text
        message = answer.json()["error"]["message"]
        assert rival.name in message and "aliases" in message
    assert frazil.load(other.name).status_code == 200
    status = frazil.command_output("status")
    assert "the name clashes with topic case-Twice" in status
    assert frazil.stop() == 0
    mended = make_frazil("case-*", extra=["--aliases", f"{upper.name}=case-upper"])
    assert tables(mended) == ["case-other", "case-twice", "case-upper"]
    for name in tables(mended):
        assert mended.load(name).status_code == 200


def test_an_alias_that_another_topic_has_as_its_name_is_refused_at_the_start(services, tmp_path):
    message = refused_at_start(services, tmp_path / "a", "--topics", "taken,given", "--aliases",
                               "given=taken")
    assert "given" in message and "taken" in message and "aliases" in message
    message = refused_at_start(services, tmp_path / "b", "--aliases", "a=same,b=same")
    assert "same" in message and "aliases" in message


@pytest.fixture
def proxies(make_topic, services, tmp_path):
    """A server that tells its clients the addresses of two proxies, which are open."""
    topic = make_topic()
    topic.produce_orders(range(100))
    port, s3_port, front, s3_front = free_ports(4)
    frazil = Frazil(services.kafka.address, services.registry.url, [topic.name], tmp_path / "data",
                    listen=port, s3_listen=s3_port,
                    extra=["--advertise", f"http://127.0.0.1:{front}",
                           "--s3-advertise", f"http://127.0.0.1:{s3_front}"])
    catalog, s3 = TcpProxy(front, port).open(), TcpProxy(s3_front, s3_port).open()
    try:
        yield topic, frazil.start(), catalog, s3
    finally:
        frazil.kill()
        catalog.cut()
        s3.cut()


def test_r25_clients_are_sent_to_the_advertised_addresses(proxies):
    topic, frazil, catalog, s3 = proxies
    config = frazil.loaded(topic.name)["config"]
    assert config["s3.endpoint"].rstrip("/") == f"http://{s3.address}"
    assert f"http://{catalog.address}" in frazil.command_output("status")
    query = f"SELECT count(*), sum(id) FROM frazil.speed.{topic.name} WHERE qty IS NOT NULL"
    with DuckDb(f"http://{catalog.address}") as duck:
        assert duck.tuples(query) == [(100, sum(range(100)))]
    # Without that proxy no file is read: nobody was told of the listener itself.
    s3.cut()
    with DuckDb(f"http://{catalog.address}") as duck, pytest.raises(Exception, match=str(s3.port)):
        duck.execute("SET http_retries = 0")
        duck.tuples(query)
