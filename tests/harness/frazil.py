# SPDX-License-Identifier: Apache-2.0
"""One `frazil serve` process, and plain HTTP towards it."""

import contextlib
import os
import pathlib
import signal
import subprocess

import requests

from harness.ports import HOST, free_ports
from harness.services import ROOT
from harness.waiting import wait_for

BINARY = pathlib.Path(os.environ.get("FRAZIL_BINARY", ROOT / "build" / "frazil"))


class FrazilFailed(RuntimeError):
    pass


class Frazil:
    def __init__(self, kafka, registry, topics, data_dir, listen=None, s3_listen=None, extra=(),
                 environment=None):
        ports = free_ports(2)
        self.port = listen or ports[0]
        self.s3_port = s3_listen or ports[1]
        self.url = f"http://{HOST}:{self.port}"
        self.s3_url = f"http://{HOST}:{self.s3_port}"
        self.data_dir = pathlib.Path(data_dir)
        self.log = self.data_dir.with_name(self.data_dir.name + ".log")
        self.command = [str(BINARY), "serve", "--kafka", kafka, "--registry", registry,
                        "--listen", f"{HOST}:{self.port}", "--s3-listen", f"{HOST}:{self.s3_port}",
                        "--data-dir", str(self.data_dir), "--topics", ",".join(topics), *extra]
        self.environment = environment or {}
        self.process = None

    def start(self, ready=True, seconds=30):
        """With `ready` waits until it can answer from Kafka, else until it listens."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True,
                                            env={**os.environ, **self.environment})
        path = "/readyz" if ready else "/healthz"
        try:
            wait_for(lambda: self._answers(path), f"{self.url}{path} answers 200", seconds)
        except Exception:
            self.kill()
            raise
        return self

    def _answers(self, path):
        if self.process.poll() is not None:
            raise FrazilFailed(f"frazil ended with status {self.process.returncode}:\n{self.tail()}")
        with contextlib.suppress(requests.RequestException):
            return requests.get(self.url + path, timeout=5).status_code == 200
        return False

    def tail(self, lines=25):
        if not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def stop(self, seconds=15):
        """Asks it to end, as a service manager does; the exit status."""
        if self.process is None or self.process.poll() is not None:
            return self.process and self.process.returncode
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise FrazilFailed(f"frazil did not end within {seconds} s of SIGTERM:\n{self.tail()}")

    def kill(self):
        """kill -9."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def run_command(self, *arguments):
        """One of the commands that ask a server, run against this one."""
        return subprocess.run([str(BINARY), *arguments], stdin=subprocess.DEVNULL, timeout=60,
                              capture_output=True, text=True,
                              env={**os.environ, "FRAZIL_SERVER": self.url})

    def command_output(self, *arguments):
        """What it prints; it must succeed."""
        done = self.run_command(*arguments)
        if done.returncode != 0:
            raise FrazilFailed(f"frazil {' '.join(arguments)}: {done.returncode} {done.stderr}")
        return done.stdout

    def prefix(self):
        config = requests.get(f"{self.url}/v1/config", timeout=10)
        config.raise_for_status()
        body = config.json()
        prefix = {**body.get("defaults", {}), **body.get("overrides", {})}.get("prefix", "")
        return f"/v1/{prefix}" if prefix else "/v1"

    def load(self, table, namespace="speed", timeout=90, **parameters):
        """The answer to LoadTable, whatever its status."""
        return requests.get(f"{self.url}{self.prefix()}/namespaces/{namespace}/tables/{table}",
                            params=parameters, timeout=timeout)

    def loaded(self, table, **parameters):
        """The body of a LoadTable that must succeed."""
        answer = self.load(table, **parameters)
        if answer.status_code != 200:
            raise FrazilFailed(f"LoadTable {table}: {answer.status_code} {answer.text}")
        return answer.json()

    def metric(self, name):
        """The sum over all labels of one metric."""
        text = requests.get(f"{self.url}/metrics", timeout=10).text
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.split("{")[0].split(" ")[0] == name)
