# SPDX-License-Identifier: Apache-2.0
"""A moment and an id give the snapshot that was there then, in both engines."""

import datetime

import pytest
from pyiceberg.catalog import load_catalog

from harness.orders import order

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
STEPS = 6


@pytest.fixture
def six(make_topic, make_frazil):
    """A table of six snapshots: their stamps, ids and the orders that each shows."""
    topic = make_topic(partitions=1)
    frazil = make_frazil(topic)
    shown = []
    for step in range(1, STEPS + 1):
        topic.produce_orders(range(step * step - 2 * step + 1, step * step))
        snapshot = frazil.loaded(topic.name)["metadata"]["snapshots"][-1]
        shown.append((snapshot["timestamp-ms"], snapshot["snapshot-id"], list(range(step * step))))
    assert len({snapshot for _, snapshot, _ in shown}) == STEPS
    return topic, frazil, shown


def moments(shown):
    """Milliseconds: each stamp, just before it, and half way to the next one."""
    stamps = [stamp for stamp, _, _ in shown]
    halves = [(low + high) // 2 for low, high in zip(stamps, stamps[1:])]
    return sorted({*stamps, *(stamp - 1 for stamp in stamps), *halves, stamps[-1] + 1})


def shown_at(shown, moment):
    """The newest of those stamped at or before; None before the first."""
    return next((one for one in reversed(shown) if one[0] <= moment), None)


def test_r10_a_moment_gives_the_newest_snapshot_at_or_before_it_in_duckdb(six, duckdb_of):
    topic, frazil, shown = six
    duck = duckdb_of(frazil)
    for moment in moments(shown):
        text = (EPOCH + datetime.timedelta(milliseconds=moment)).isoformat(sep=" ")
        query = (f"SELECT id FROM frazil.speed.{topic.name} "
                 f"AT (TIMESTAMP => TIMESTAMPTZ '{text}') ORDER BY id")
        wanted = shown_at(shown, moment)
        # DuckDB shows nothing before the first one, and no error.
        assert [row[0] for row in duck.tuples(query)] == (wanted[2] if wanted else []), text


def test_r10_a_moment_gives_the_newest_snapshot_at_or_before_it_in_pyiceberg(six):
    topic, frazil, shown = six
    table = load_catalog("frazil", type="rest", uri=frazil.url).load_table(f"speed.{topic.name}")
    for moment in moments(shown):
        found = table.snapshot_as_of_timestamp(moment)
        wanted = shown_at(shown, moment)
        assert (found and found.snapshot_id) == (wanted and wanted[1]), moment
    for _, snapshot, ids in shown:
        rows = table.scan(snapshot_id=snapshot, selected_fields=("id",)).to_arrow()
        assert sorted(rows["id"].to_pylist()) == ids


def test_r11_an_id_gives_the_values_of_then(six, duckdb_of):
    topic, frazil, shown = six
    duck = duckdb_of(frazil)
    names = ["id", "customer", "amount", "ts", "status", "qty", "note", "price"]
    for _, snapshot, ids in shown:
        found = duck.rows(f"SELECT {', '.join(names)} FROM frazil.speed.{topic.name} "
                          f"AT (VERSION => {snapshot}) ORDER BY id")
        assert found == [order(number) for number in ids]
