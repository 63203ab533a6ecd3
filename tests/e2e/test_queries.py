# SPDX-License-Identifier: Apache-2.0
"""The promise: a topic is a table for stock DuckDB, and its answers are Kafka's records."""

import collections
import datetime
import decimal

import pytest

from comparing import assert_same_rows
from conftest import ORDER_FIELDS
from harness.orders import order

COUNT = 3000


@pytest.fixture(scope="module")
def orders(services, tmp_path_factory):
    """One topic of orders, one Frazil, one DuckDB, and the rows that the oracle finds."""
    from harness.duckdb_client import DuckDb
    from harness.frazil import Frazil
    from harness.topics import Topic
    topic = Topic(services.kafka.address, services.registry, "orders")
    for number in range(COUNT):
        headers = [("trace", str(number).encode()), ("empty", b""), ("none", None)]
        topic.send(order(number), partition=number % 3, headers=headers if number % 2 else None,
                   key=None if number % 5 == 0 else f"key-{number}".encode(),
                   timestamp=1_790_000_000_000 + number)
    topic.flush()
    frazil = Frazil(services.kafka.address, services.registry.url, ["orders"],
                    tmp_path_factory.mktemp("queries") / "data").start()
    duck = DuckDb(frazil.url)
    Loaded = collections.namedtuple("Loaded", "duck rows")
    yield Loaded(duck, services.oracle.rows("orders", ORDER_FIELDS))
    duck.close()
    frazil.kill()


def test_count_is_the_number_of_records(orders):
    assert len(orders.rows) == COUNT
    assert orders.duck.value("SELECT count(*) FROM frazil.speed.orders") == COUNT


def test_every_column_of_every_row_is_what_a_consumer_reads(orders):
    assert_same_rows(orders.duck.rows("SELECT * FROM frazil.speed.orders"), orders.rows)


def test_the_table_is_listed(orders):
    assert ("orders",) in orders.duck.tuples(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'frazil'"
    ) or any("orders" in row for row in orders.duck.tuples("SHOW ALL TABLES"))


TIME = datetime.datetime(2026, 1, 5, tzinfo=datetime.timezone.utc)
FILTERS = {
    "id = 1234": lambda row: row["id"] == 1234,
    "id BETWEEN 100 AND 199": lambda row: 100 <= row["id"] < 200,
    "id IN (1, 2, 2999, 99999)": lambda row: row["id"] in (1, 2, 2999),
    "customer = 'customer-0042'": lambda row: row["customer"] == "customer-0042",
    "customer LIKE 'customer-00%'": lambda row: row["customer"].startswith("customer-00"),
    "amount > 99999.99": lambda row: row["amount"] > decimal.Decimal("99999.99"),
    "amount = 9999999.99": lambda row: row["amount"] == decimal.Decimal("9999999.99"),
    "ts < TIMESTAMPTZ '2026-01-05 00:00:00+00'": lambda row: row["ts"] < TIME,
    "status = 'PAID'": lambda row: row["status"] == "PAID",
    "status IN ('NEW', 'NOWHERE')": lambda row: row["status"] == "NEW",
    "qty = 2147483647": lambda row: row["qty"] == 2**31 - 1,
    "qty < 0": lambda row: row["qty"] < 0,
    "note IS NULL": lambda row: row["note"] is None,
    "note = ''": lambda row: row["note"] == "",
    "note <> ''": lambda row: row["note"] not in (None, ""),
    "price < 0": lambda row: row["price"] < 0,
    "price = 1e300": lambda row: row["price"] == 1e300,
    "kafka_partition = 1 AND kafka_offset >= 500": lambda row: (
        row["kafka_partition"] == 1 and row["kafka_offset"] >= 500),
    "kafka_timestamp >= to_timestamp(1790000002.5)": lambda row: (
        row["kafka_timestamp"].timestamp() >= 1790000002.5),
    "kafka_key IS NULL": lambda row: row["kafka_key"] is None,
    "kafka_key = 'key-77'::BLOB": lambda row: row["kafka_key"] == b"key-77",
    "len(kafka_headers) = 0": lambda row: not row["kafka_headers"],
    "id = -1": lambda row: False,
}


@pytest.mark.parametrize("condition", FILTERS)
def test_a_filter_gives_the_rows_that_fulfil_it(orders, condition):
    found = orders.duck.rows(f"SELECT * FROM frazil.speed.orders WHERE {condition}")
    expected = [row for row in orders.rows if FILTERS[condition](row)]
    assert expected or condition == "id = -1"
    assert_same_rows(found, expected)
    count = orders.duck.value(f"SELECT count(*) FROM frazil.speed.orders WHERE {condition}")
    assert count == len(expected)


def test_aggregates_over_all_rows(orders):
    found = orders.duck.tuples(
        "SELECT count(*), count(note), sum(amount), min(id), max(id), min(customer), max(ts), "
        "min(price), max(qty), min(kafka_offset), max(kafka_timestamp) FROM frazil.speed.orders")[0]
    rows = orders.rows
    assert found == (
        len(rows), sum(row["note"] is not None for row in rows), sum(row["amount"] for row in rows),
        0, COUNT - 1, min(row["customer"] for row in rows), max(row["ts"] for row in rows),
        min(row["price"] for row in rows), max(row["qty"] for row in rows), 0,
        max(row["kafka_timestamp"] for row in rows))


def test_group_by(orders):
    found = orders.duck.tuples("SELECT status, kafka_partition, count(*), sum(amount) "
                               "FROM frazil.speed.orders GROUP BY ALL")
    expected = collections.defaultdict(lambda: [0, decimal.Decimal(0)])
    for row in orders.rows:
        group = expected[row["status"], row["kafka_partition"]]
        group[0] += 1
        group[1] += row["amount"]
    assert sorted(found) == sorted((*key, *value) for key, value in expected.items())


def test_join_with_itself(orders):
    found = orders.duck.value("""
        SELECT count(*) FROM frazil.speed.orders a JOIN frazil.speed.orders b
        ON a.customer = b.customer AND a.id < b.id""")
    sizes = collections.Counter(row["customer"] for row in orders.rows).values()
    assert found == sum(size * (size - 1) // 2 for size in sizes)


def test_join_with_a_local_table(orders):
    orders.duck.execute("CREATE OR REPLACE TABLE weight AS SELECT * FROM "
                        "(VALUES ('NEW', 1), ('PAID', 10), ('SENT', 100)) AS w(status, points)")
    found = orders.duck.value("SELECT sum(points) FROM frazil.speed.orders JOIN weight USING (status)")
    points = {"NEW": 1, "PAID": 10, "SENT": 100}
    assert found == sum(points.get(row["status"], 0) for row in orders.rows)


def test_order_by_and_limit(orders):
    found = orders.duck.tuples("SELECT id FROM frazil.speed.orders ORDER BY price DESC, id LIMIT 20")
    expected = sorted(orders.rows, key=lambda row: (-row["price"], row["id"]))[:20]
    assert [row[0] for row in found] == [row["id"] for row in expected]


def test_writing_is_refused_and_leaves_the_table_as_it_is(orders):
    import duckdb
    with pytest.raises(duckdb.Error):
        orders.duck.execute("INSERT INTO frazil.speed.orders SELECT * FROM frazil.speed.orders LIMIT 1")
    with pytest.raises(duckdb.Error):
        orders.duck.execute("DROP TABLE frazil.speed.orders")
    assert orders.duck.value("SELECT count(*) FROM frazil.speed.orders") == COUNT
