# SPDX-License-Identifier: Apache-2.0
"""Stock DuckDB, attached over REST."""

import duckdb

from harness.services import ROOT

EXTENSIONS = ROOT / ".deps" / "duckdb_extensions"


def attach_statement(url, name="frazil"):
    return f"ATTACH '' AS {name} (TYPE iceberg, ENDPOINT '{url}', AUTHORIZATION_TYPE 'none');"


class DuckDb:
    """One DuckDB of its own: no cache is shared with another. `url` is the catalog's."""

    def __init__(self, url, threads=1):
        self.url = url
        self.connection = duckdb.connect(":memory:", config={"extension_directory": str(EXTENSIONS)})
        self.connection.execute("SET TimeZone = 'UTC'")
        # With more threads DuckDB 1.5.5 locks itself out now and then when a query scans one table
        # twice: two threads wait for each other around a manifest (CachedFileHandle in its httpfs).
        self.connection.execute(f"SET threads = {threads}")
        for extension in ("avro", "httpfs", "iceberg"):
            self.connection.execute(f"LOAD {extension}")
        self.connection.execute(attach_statement(url))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.connection.close()

    def execute(self, statement):
        return self.connection.execute(statement)

    def value(self, query):
        return self.connection.execute(query).fetchone()[0]

    def tuples(self, query):
        return self.connection.execute(query).fetchall()

    def rows(self, query):
        """Rows as dicts."""
        cursor = self.connection.execute(query)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]
