# SPDX-License-Identifier: Apache-2.0
"""`make dev`: its answers, its end, and that it needs no Java."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

from harness.ports import free_ports, is_taken
from harness.services import ROOT
from harness.waiting import wait_for

SETTINGS = ["KAFKA_PORT", "REGISTRY_PORT", "FRAZIL_PORT", "FRAZIL_S3_PORT"]


def commands_with(ports):
    """The command lines of processes that name one of these ports."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if any(f":{port}" in command for port in ports):
            found.append(command)
    return found


@pytest.fixture
def no_java(tmp_path):
    """An environment in which java and mvn leave a mark and fail; and the mark."""
    mark = tmp_path / "java-was-called"
    for name in ("java", "mvn"):
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch '{mark}'\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    return {**environment, "PATH": f"{tmp_path}:{os.environ['PATH']}"}, mark


def test_ctrl_c_ends_all_of_it(no_java, tmp_path):
    environment, mark = no_java
    ports = free_ports(len(SETTINGS))
    log = tmp_path / "dev.log"
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "dev.py")], stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, start_new_session=True,
            env={**environment, **dict(zip(SETTINGS, map(str, ports)))})
    try:
        wait_for(lambda: process.poll() is not None or b"Ctrl-C ends" in log.read_bytes(),
                 "the answers are printed", 120)
        text = log.read_text()
        assert process.poll() is None, text
        assert text.count("duckdb> SELECT") == 2 and "revenue" in text and "by_card" in text
        assert all(is_taken(port) for port in ports)
        running = commands_with(ports)
        assert len(running) == 2 and not any("java" in command for command in running), running
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, log.read_text()
    finally:
        if process.poll() is None:
            # SIGTERM ends what it has started, too.
            process.terminate()
            process.wait(60)
    assert "ended; ports are free again" in log.read_text()
    assert not any(is_taken(port) for port in ports)
    assert commands_with(ports) == []
    assert not mark.exists()


def test_what_it_needs_is_installed_without_java(no_java):
    environment, mark = no_java
    done = subprocess.run(["bash", "-x", str(ROOT / "scripts" / "install_dependencies.sh"), "dev"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240,
                          env=environment)
    assert done.returncode == 0, done.stderr
    assert "+ install_python_packages" in done.stderr
    for name in ("java.sh", "kafka.sh", "registry.sh", "maven"):
        assert not any(name in line for line in done.stderr.splitlines()
                       if line.startswith("+") and not line.startswith("+ test_packages=")), name
    assert not mark.exists()
