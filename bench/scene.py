# SPDX-License-Identifier: Apache-2.0
"""What every benchmark starts: an embedded Kafka and registry, topics full of sample records, Frazil."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402

from harness.frazil import Frazil  # noqa: E402
from harness.sandbox import Sandbox  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

BUILD = ROOT / "build"
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
SECONDS = 600


def run_program(name, **options):
    """Runs build/bench_NAME; what it prints, as a value."""
    done = subprocess.run(command_of(name, options), capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"bench_{name}: status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def command_of(name, options):
    command = [str(BUILD / f"bench_{name}")]
    for option, value in options.items():
        command += ["--" + option.replace("_", "-"), str(value)]
    return command


def schema_text(shape):
    """The schema of bench/sample_records.cc."""
    return run_program("codecs", schema=shape)


class Scene:
    """Services, and the Frazil processes that were started beside them; all end with it."""

    def __init__(self, folder, memory_mib=4096):
        self.folder = pathlib.Path(folder)
        self.sandbox = Sandbox(self.folder / "sandbox")
        self.sandbox.command += ["--kafka-memory", str(memory_mib)]
        self._stack = contextlib.ExitStack()
        self._count = 0

    def __enter__(self):
        self.sandbox.start()
        self._stack.callback(self.sandbox.stop)
        self.admin = AdminClient({"bootstrap.servers": self.kafka, "log_level": 2})
        return self

    def __exit__(self, *_):
        self._stack.close()

    @property
    def kafka(self):
        return self.sandbox.address

    def make_topic(self, name, shape="flat", partitions=1):
        """The id of its schema."""
        self.admin.create_topics([NewTopic(name, partitions, 1)])[name].result(30)
        wait_for(lambda: len(self.admin.list_topics(name, timeout=10).topics[name].partitions)
                 == partitions, f"topic {name} exists")
        return self.sandbox.registry.register(f"{name}-value", json.dumps(schema_text(shape)))

    def load(self, name, schema_id, **options):
        """Produces sample records, acknowledged on return."""
        return run_program("loader", kafka=self.kafka, topic=name, schema_id=schema_id, **options)

    @contextlib.contextmanager
    def loading(self, name, schema_id, **options):
        """The same, beside what is done meanwhile."""
        command = command_of("loader", {"kafka": self.kafka, "topic": name, "schema_id": schema_id,
                                        **options})
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=60)
        if process.returncode != 0:
            raise RuntimeError(f"bench_loader: status {process.returncode}")

    def frazil(self, *topics, extra=()):
        """A started process."""
        self._count += 1
        extra = ["--load-wait", "5min", "--load-timeout", "6min", *extra]
        frazil = Frazil(self.kafka, self.sandbox.registry.url, topics,
                        self.folder / f"data{self._count}", extra=extra)
        self._stack.callback(frazil.kill)
        return frazil.start()


def cpu_seconds(process):
    """User and system time of a running process, all threads."""
    text = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii")
    fields = text.rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_bytes(process):
    text = pathlib.Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii")
    return int(text.split()[1]) * PAGE


def percentile(values, share):
    """The smallest value that at least this share of all are not above."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * share // 100) - 1)]


def median(values):
    return percentile(values, 50)
