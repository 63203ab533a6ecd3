# SPDX-License-Identifier: Apache-2.0
"""Apache Kafka and Apicurio Registry, through scripts/kafka.sh and scripts/registry.sh."""

import os
import pathlib
import subprocess

import requests

from harness.ports import HOST, free_ports

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ServiceFailed(RuntimeError):
    pass


def _script(name, action, environment, timeout=250):
    # A session of its own: Ctrl-C at a terminal reaches only the program that then stops the service.
    done = subprocess.run([str(ROOT / "scripts" / name), action], env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                          start_new_session=True)
    if done.returncode != 0:
        raise ServiceFailed((done.stderr or done.stdout).strip())


class Kafka:
    def __init__(self, folder, port=None, proxied=None):
        """`proxied`: (listen, advertised), a second listener behind a proxy."""
        self.port = port or free_ports(1, consecutive=True)[0]
        self.address = f"{HOST}:{self.port}"
        self._environment = {"KAFKA_DIR": str(folder), "KAFKA_PORT": str(self.port)}
        if proxied:
            self._environment["KAFKA_PROXIED"] = f"{proxied[0]}:{proxied[1]}"

    def start(self):
        _script("kafka.sh", "start", self._environment)
        return self

    def stop(self):
        _script("kafka.sh", "stop", self._environment)

    def wipe(self):
        _script("kafka.sh", "wipe", self._environment)


class RegistryClient:
    """A registry of the Confluent API below `path`."""

    path = ""

    def __init__(self, port):
        self.port = port
        self.url = f"http://{HOST}:{port}{self.path}"

    def register(self, subject, schema_text):
        """The schema's id."""
        answer = requests.post(f"{self.url}/subjects/{subject}/versions", timeout=30,
                               json={"schema": schema_text, "schemaType": "AVRO"})
        answer.raise_for_status()
        return answer.json()["id"]


class Registry(RegistryClient):
    path = "/apis/ccompat/v7"

    def __init__(self, folder, port=None):
        super().__init__(port or free_ports(1, consecutive=True)[0])
        self._environment = {"REGISTRY_DIR": str(folder), "REGISTRY_PORT": str(self.port)}

    def start(self):
        _script("registry.sh", "start", self._environment)
        return self

    def wipe(self):
        _script("registry.sh", "wipe", self._environment)
