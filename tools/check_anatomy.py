#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every module to the same anatomy.

A README of one screen; tests that are built; every source in a source list; and for each decoder of
outside bytes a fuzzer with a corpus.
"""

import re
import tomllib

from check_layers import LAYERS, cmake_calls
from repository import run

README_LINES = 60
# Modules that read bytes from outside.
DECODERS = ("avro", "kafka/wire", "net", "serve/s3", "decode", "iceberg")


def check_readme(repository, module):
    path = f"src/{module}/README.md"
    text = repository.text(path)
    if not text.strip():
        yield (f"{path}:1: missing; write purpose, files in reading order, invariants, how to test, "
               f"in at most {README_LINES} lines")
    elif text.count("\n") > README_LINES:
        yield f"{path}:1: {text.count(chr(10))} lines; {README_LINES} are the limit"


def check_sources(repository, module, modules):
    """Sources, tests and fuzzers are named in the module's CMakeLists.txt."""
    path = f"src/{module}/CMakeLists.txt"
    text = repository.text(path)
    if not text:
        yield f"{path}:1: missing; declare the module with frazil_module and frazil_test"
        return
    listed, functions = set(), set()
    for function in ("frazil_module", "frazil_executable", "frazil_test", "frazil_fuzzer",
                     "frazil_benchmark", "add_executable", "add_library"):
        for _, _, lists in cmake_calls(text, function):
            functions.add(function)
            listed.update(lists.get("SOURCES", []) + lists.get("SOURCE", []))
    everywhere = text + "".join(repository.text(file) for file in repository.select(r"cmake/.+"))
    for source in repository.select(rf"src/{module}/.+\.cc"):
        inner = max((name for name in modules if source.startswith(f"src/{name}/")), key=len)
        name = source[len(f"src/{module}/"):]
        if inner == module and name not in listed and source not in everywhere:
            yield f"{source}:1: in no target; add it to {path}, or delete it"
    has_tests = bool(repository.select(rf"src/{module}/test/.+_test\.cc"))
    if not has_tests or "frazil_test" not in functions:
        yield f"{path}:1: no tests; add test/*_test.cc and a frazil_test"


def corpus_is_empty(repository, module, corpus):
    return not any(repository.bytes(path)
                   for path in repository.select(rf"src/{module}/{re.escape(corpus)}/.+"))


def check_fuzzers(repository, module):
    path = f"src/{module}/CMakeLists.txt"
    fuzzers = list(cmake_calls(repository.text(path), "frazil_fuzzer"))
    sources = {source for _, _, lists in fuzzers for source in lists.get("SOURCE", [])}
    for fuzzer in repository.select(rf"src/{module}/fuzz/[^/]+_fuzz\.cc"):
        if fuzzer[len(f"src/{module}/"):] not in sources:
            yield f"{fuzzer}:1: never built; add a frazil_fuzzer to {path}"
    for line, name, lists in fuzzers:
        for corpus in lists.get("CORPUS", []):
            if corpus_is_empty(repository, module, corpus):
                yield f"{path}:{line}: the corpus {corpus} of {name} is empty; commit seeds"
    if module in DECODERS and not fuzzers:
        yield f"{path}:1: {module} decodes outside bytes and has no fuzzer; add fuzz/*_fuzz.cc"


def breaches(repository):
    rows = tomllib.loads(repository.text(LAYERS))["module"]
    modules = [row["name"] for row in rows]
    for module in modules:
        files = [path for path in repository.select(rf"src/{module}/.+")
                 if max((name for name in modules if path.startswith(f"src/{name}/")),
                        key=len) == module]
        if not files:
            continue  # planned
        yield from check_readme(repository, module)
        yield from check_sources(repository, module, modules)
        yield from check_fuzzers(repository, module)


if __name__ == "__main__":
    run(breaches)
