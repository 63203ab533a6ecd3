# SPDX-License-Identifier: Apache-2.0
"""Figures as a table on the terminal, and as docs/benchmarks.md."""

import datetime
import importlib.metadata
import json
import pathlib
import platform
import re
import subprocess

from figures import cells
from scene import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
TITLES = ["figure", "best or as named", "median", "unit", "bar", ""]
BEGIN = "<!-- Written by `make bench BENCH_OPTIONS=--write`; what stands below by hand is kept. -->"
KEPT = "## What is slow, and why"


def print_figures(title, figures):
    rows = [TITLES] + [cells(figure) for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(len(TITLES))]
    print(f"\n== {title}")
    for row in rows:
        print("  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                        for column, (cell, width) in enumerate(zip(row, widths))).rstrip())


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def cores():
    return len(re.findall(r"^processor", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"),
                          re.MULTILINE))


def version_of_package(name):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
    return done.stdout.strip() or "absent"


def circumstances(command):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True,
                            text=True).stdout.strip()
    packages = {"g++": "g++", "librdkafka": "librdkafka1", "libavro": "libavro23", "lz4": "liblz4-1",
                "zstd": "libzstd1"}
    versions = [f"{name} {version_of_package(package)}" for name, package in packages.items()]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in ("duckdb", "pyiceberg", "pyarrow")]
    return {"command": command, "commit": commit, "cpu": f"{processor()}, {cores()} cores",
            "date": datetime.date.today().isoformat(), "versions": ", ".join(versions)}


def section(result):
    lines = [f"## {result['title']}", "", result["about"], "",
             "| " + " | ".join(TITLES) + " |", "|---|---:|---:|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in result["rows"]]
    where = result["circumstances"]
    lines += ["", f"`{where['command']}`, {where['date']}."]
    return "\n".join(lines)


def save(results, path):
    """Adds to what earlier runs found, so that the page may be renewed in parts."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known.update(results)
    path.write_text(json.dumps(known, indent=1), encoding="utf-8")
    return known


def write_page(results, order):
    """Everything up to the section that is written by hand."""
    old = PAGE.read_text(encoding="utf-8")
    head, kept = old[:old.index(BEGIN)], old[old.index(KEPT):]
    where = next(iter(results.values()))["circumstances"]
    lines = [head + BEGIN, "", f"CPU: {where['cpu']}. With {where['versions']}.", ""]
    for name in order:
        if name in results:
            lines += [section(results[name]), ""]
    PAGE.write_text("\n".join(lines) + "\n" + kept, encoding="utf-8")
