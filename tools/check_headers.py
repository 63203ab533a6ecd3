#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header below src/ compiles alone, so that each includes what it needs.

A header that its own source includes before anything else is compiled alone by the build; the others
are compiled here. What compiled is remembered in build/checked_headers.json with the contents of all that it included,
so a second run compiles only what has changed since.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile

from repository import run, without

JOBS = int(os.environ.get("FRAZIL_JOBS", "2"))
SECONDS = 600


class HeaderCompiler:
    def __init__(self, repository):
        self.root = repository.root
        self.compiler = os.environ.get("CXX", "g++")
        dependencies = pathlib.Path(os.environ.get("FRAZIL_DEPS", self.root / ".deps"))
        self.flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                      "-I", str(self.root / "src"),
                      "-isystem", str(dependencies / "pyarrow" / "include")]
        version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True,
                                 check=True).stdout
        self.salt = repr((version, self.flags))
        self.digests = {}

    def digest(self, file):
        """Of a file's content if it is ours, of its size and age if it is a library's."""
        if file not in self.digests:
            path = pathlib.Path(file)
            if not path.is_file():
                value = "missing"
            elif path.is_relative_to(self.root / "src"):
                value = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                status = path.stat()
                value = f"{status.st_size}.{status.st_mtime_ns}"
            self.digests[file] = value
        return self.digests[file]

    def state(self, files):
        text = self.salt + "".join(f"{file}={self.digest(file)};" for file in files)
        return hashlib.sha256(text.encode()).hexdigest()

    def compile(self, path):
        """(error or None, files included)."""
        with tempfile.TemporaryDirectory() as folder:
            listing = pathlib.Path(folder) / "dependencies"
            command = [self.compiler, *self.flags, "-MD", "-MF", str(listing), "-x", "c++", "-"]
            source = f'#include "{path[len("src/"):]}"\n'
            try:
                done = subprocess.run(command, input=source, capture_output=True, text=True,
                                      cwd=self.root, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return f"{path}:1: did not compile within {SECONDS} s; include less", []
            if done.returncode != 0:
                return self.first_error(path, done.stderr), []
            names = listing.read_text().split(":", 1)[1].replace("\\\n", " ").split()
            return None, sorted(name for name in names if name != "-")

    def first_error(self, path, output):
        match = re.search(r"^(\S+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", output, re.MULTILINE)
        if not match:
            return f"{path}:1: does not compile alone: {output.strip().splitlines()[-1:]}"
        where = match.group(1).replace(f"{self.root}/", "")
        return (f"{where}:{match.group(2)}: {path} does not compile alone: {match.group(3)}; "
                "include or declare what it uses")


def proven_by_build(repository, path):
    """Whether the header's source includes it first."""
    source = without(repository.text(path[:-len(".h")] + ".cc"), strings=False)
    first = re.search(r"^[ \t]*#[ \t]*(\w+)[ \t]*(.*?)[ \t]*$", source, re.MULTILINE)
    return bool(first) and first.groups() == ("include", f'"{path[len("src/"):]}"')


def remembered(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def breaches(repository):
    compiler = HeaderCompiler(repository)
    memory_path = repository.root / "build" / "checked_headers.json"
    memory = remembered(memory_path)
    kept, stale = {}, []
    headers = [path for path in repository.select(r"src/.+\.h")
               if not proven_by_build(repository, path)]
    for path in headers:
        known = memory.get(path)
        if known and known["state"] == compiler.state(known["files"]):
            kept[path] = known
        else:
            stale.append(path)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for path, (error, files) in zip(stale, pool.map(compiler.compile, stale)):
            if error:
                yield error
            else:
                kept[path] = {"state": compiler.state(files), "files": files}
    memory_path.parent.mkdir(exist_ok=True)
    memory_path.write_text(json.dumps(kept))
    if repository.verbose:
        print(f"{len(stale)} of {len(headers)} headers compiled")


if __name__ == "__main__":
    run(breaches)
