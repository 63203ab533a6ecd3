# SPDX-License-Identifier: Apache-2.0
"""The peer of what is computed when read: the same rows as an Iceberg table that PyIceberg wrote once,
served from memory by bench_static_catalog."""

import contextlib
import json
import pathlib
import subprocess
import types

import pyarrow as pa
import requests
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.serializers import ToOutputFile
from pyiceberg.table import CommitTableResponse, Table
from pyiceberg.table.metadata import new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.table.update import update_table_metadata
from pyiceberg.io.pyarrow import _pyarrow_to_schema_without_ids

from harness.ports import HOST, free_ports
from harness.waiting import wait_for
from scene import command_of

BUCKET = "static"


class FolderIO(PyArrowFileIO):
    """s3://BUCKET/key as a file below a folder."""

    def __init__(self, folder):
        super().__init__({})
        self._folder = folder

    def _place(self, location):
        path = self._folder / location.removeprefix("s3://")
        path.parent.mkdir(parents=True, exist_ok=True)
        return f"file://{path}"

    def new_input(self, location):
        return super().new_input(self._place(location))

    def new_output(self, location):
        return super().new_output(self._place(location))


class OneTable:
    """As much of a catalog as PyIceberg needs to commit to one table."""

    def __init__(self, file_io):
        self._io = file_io
        self._commits = 0

    def write(self, metadata):
        location = f"{metadata.location}/metadata/{self._commits:05d}-static.metadata.json"
        ToOutputFile.table_metadata(metadata, self._io.new_output(location))
        self._commits += 1
        return location

    def commit_table(self, table, _requirements, updates):
        metadata = update_table_metadata(table.metadata, updates)
        return CommitTableResponse(metadata=metadata, **{"metadata-location": self.write(metadata)})

    def _delete_old_metadata(self, *_):
        pass


def write_table(folder, name, rows):
    """The table, with all rows in one snapshot."""
    file_io = FolderIO(folder / "objects")
    catalog = OneTable(file_io)
    metadata = new_table_metadata(
        schema=_pyarrow_to_schema_without_ids(rows.schema), location=f"s3://{BUCKET}/{name}",
        partition_spec=UNPARTITIONED_PARTITION_SPEC, sort_order=UNSORTED_SORT_ORDER, properties={})
    table = Table(("speed", name), metadata, catalog.write(metadata), file_io, catalog)
    table.append(rows)
    return table


def answers(name, table, url):
    """What the catalog says, by path."""
    namespace = {"namespace": ["speed"], "properties": {}}
    loaded = {"metadata-location": table.metadata_location,
              "metadata": table.metadata.model_dump(mode="json", by_alias=True, exclude_none=True),
              "config": {"s3.endpoint": url, "s3.region": "local", "client.region": "local",
                         "s3.path-style-access": "true", "s3.access-key-id": "static",
                         "s3.secret-access-key": "static"}}
    return {"/v1/config": {"defaults": {}, "overrides": {}},
            "/v1/namespaces": {"namespaces": [["speed"]]},
            "/v1/namespaces/speed": namespace,
            "/v1/namespaces/speed/tables": {"identifiers": [{"namespace": ["speed"], "name": name}]},
            f"/v1/namespaces/speed/tables/{name}": loaded}


@contextlib.contextmanager
def served(folder, name, rows):
    """Where the table is served while the context lasts: `url`, as DuckDb() takes it."""
    folder = pathlib.Path(folder)
    port = free_ports(1)[0]
    url = f"http://{HOST}:{port}"
    table = write_table(folder, name, rows)
    (folder / "catalog.json").write_text(json.dumps(answers(name, table, url)), encoding="utf-8")
    with subprocess.Popen(command_of("static_catalog", {"port": port, "folder": folder}),
                          stdout=subprocess.DEVNULL) as process:
        def is_up():
            with contextlib.suppress(requests.RequestException):
                return requests.get(f"{url}/v1/config", timeout=5).status_code == 200
            return False
        try:
            wait_for(is_up, "the static catalog answers")
            yield types.SimpleNamespace(url=url)
        finally:
            process.terminate()


def rows_of(connection, query):
    """A query's rows as an Arrow table without DuckDB's own types."""
    return pa.table(connection.execute(query).fetch_arrow_table())
