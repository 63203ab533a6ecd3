# SPDX-License-Identifier: Apache-2.0
"""`frazil sandbox`: the embedded Kafka broker and schema registry, in place of Kafka and Apicurio."""

import pathlib
import signal
import subprocess

import requests

from harness.frazil import BINARY
from harness.ports import HOST, free_ports
from harness.services import RegistryClient, ServiceFailed
from harness.waiting import wait_for


class Sandbox:
    """`kafka` and `registry` stand for what is in it, like harness.services' own."""

    def __init__(self, folder, kafka_port=None, registry_port=None, proxied=None, create_topics=False):
        """`proxied`: (listen, advertised), a second Kafka listener behind a proxy."""
        ports = free_ports(2)
        self.port = kafka_port or ports[0]
        self.address = f"{HOST}:{self.port}"
        self.registry = RegistryClient(registry_port or ports[1])
        self.log = pathlib.Path(folder) / "sandbox.log"
        listen = self.address
        if proxied:
            listen += f",{HOST}:{proxied[0]}={HOST}:{proxied[1]}"
        self.command = [str(BINARY), "sandbox", "--kafka-listen", listen,
                        "--registry-listen", f"{HOST}:{self.registry.port}",
                        "--create-topics", "true" if create_topics else "false"]
        self.process = None

    def start(self):
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log, "ab") as log:
            # A session of its own: Ctrl-C at a terminal reaches only the program that stops it.
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True)
        try:
            wait_for(self._answers, "the sandbox answers", 20)
        except BaseException:
            self.stop()
            raise
        return self

    def _answers(self):
        if self.process.poll() is not None:
            raise ServiceFailed(self.log.read_text(errors="replace").strip().splitlines()[-1])
        try:
            return requests.get(f"{self.registry.url}/subjects", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def stop(self, seconds=10):
        """The exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode
