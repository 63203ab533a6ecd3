#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds names and words to the house rules.

Files and folders are snake_case and say what they hold; sources begin with their licence line;
headers have #pragma once; product code is ASCII outside of string literals; nothing waits in a
TODO; and no file tells of the machine or the errand that made it, or holds a secret.
"""

import re

from repository import line_of, run, without

EMPTY_WORDS = {"util", "utils", "utility", "utilities", "helper", "helpers", "common", "misc",
               "manager", "managers"}
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?|using|concept)\s+([A-Z]\w*)")
SPDX = "SPDX-License-Identifier: Apache-2.0"
# Files that list the words which others may not contain.
WORD_LISTS = ("tools/check_names.py", "tests/checks/test_checks.py")
# Bytes for programs, kept as they are.
DATA = re.compile(r"(^|/)(testdata|corpus|golden|goldens)/|\.(bin|avro|parquet|png|ico|jar|gz|zst)$")
IN_TEST = re.compile(r"(^|/)(tests?|fuzz|bench)/")

# (pattern, why, where it may stand nevertheless)
WORDS = [
    (re.compile(r"\b(?:issue|issues|ticket|bug|fixes|closes|pull request|PR)\s+#?\d+\b(?!\.\d)", re.I),
     "a number that only one tracker knows; say what the fault was", None),
    (re.compile(r"(?<![\w/])\(#\d+\)"), "a number that only one tracker knows; say what the fault was",
     None),
    (re.compile(r"(?<![\w.:/-])/(?:work|root|home/\w+|Users/\w+)/[\w.-]*"),
     "a path of one machine; write it from the repository's root", None),
    (re.compile(r"(?<![\w.:/$}-])/tmp/\w[\w.-]*"), "a path of one machine; use a fresh temporary folder",
     re.compile(r"^(?!.*\.md$)")),
    (re.compile(r"\b(?:this|last|next|previous|earlier|later|another|current) session\b(?!['\w])"
                r"|\b(?:sub-?agents?|AI|LLM|language model|chat ?bot)\b"),
     "tells of how the file was made; tell what it is", None),
    (re.compile(r"index-url|extra-index|\bartifactory\b|\bnexus\b|\.npmrc|GOPROXY=http",
                re.I), "names a package registry; the machine's own settings choose it", None),
    (re.compile(r"\bAKIA(?!IOSFODNN7EXAMPLE)[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----"
                r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bxox[abprs]-[A-Za-z0-9-]{10,}"),
     "looks like a secret; remove it, and revoke it if it is one", None),
]
URL = re.compile(r"\b[a-z][a-z0-9+.-]*://(?:[^\s/@\"'<>`]+@)?(\[[0-9a-f:]+\]|[A-Za-z0-9.-]+)")
PUBLIC_HOST = re.compile(
    r"[^.]*"                                     # localhost, or a name that stands for one
    r"|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]"
    r"|(.+\.)?(example|test|invalid|localhost|example\.(com|org|net))\.?"
    r"|(.+\.)?(apache\.org|github\.com|w3\.org|spdx\.org|ietf\.org|rfc-editor\.org|python\.org"
    r"|duckdb\.org|trino\.io|clickhouse\.com|confluent\.io|cppreference\.com|llvm\.org|isocpp\.org"
    r"|sqlite\.org|amazonaws\.com|amazon\.com|keepachangelog\.com|semver\.org|unicode\.org"
    r"|cmake\.org|boost\.org|github\.io|readthedocs\.io|adoptium\.net|json\.org|prometheus\.io)")


def check_path(path):
    if DATA.search(path):
        return
    words = set(re.split(r"[/_.\-]", path.lower()))
    for word in sorted(words & EMPTY_WORDS):
        yield f"{path}:1: \"{word}\" in a name says nothing; name it after what it holds"
    name = path.rsplit("/", 1)[-1]
    if path.startswith("src/") and name != "README.md" and name != "CMakeLists.txt":
        if not re.fullmatch(r"src/([a-z0-9_]+/)*[a-z0-9_]+(\.gen)?\.[a-z]+", path):
            yield f"{path}:1: names below src/ are snake_case with one ending; rename it"
        if re.search(r"\.(cpp|cxx|c|hpp|hh|hxx)$", path):
            yield f"{path}:1: C++ files end in .cc and .h; rename it"
    if path.endswith(".py") and not re.fullmatch(r"[a-z0-9_]+\.py", name):
        yield f"{path}:1: Python files are snake_case; rename it"


def check_source(path, text):
    """The form of one source file."""
    lines = text.split("\n", 3)
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if SPDX not in first:
        yield f"{path}:1: the licence line is missing; begin with \"{SPDX}\" as a comment"
    if path.endswith(".h") and not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield f"{path}:1: no include guard; add #pragma once after the header's comment"
    for match in re.finditer(r"\b(TODO|FIXME|XXX|HACK)\b", text):
        yield (f"{path}:{line_of(text, match.start())}: {match.group(1)}; do it, or write the plan "
               "into docs/")
    if not re.search(r"\.(h|cc)$", path):
        return
    code = without(text)
    for match in TYPE.finditer(code):
        parts = {part.lower() for part in re.findall(r"[A-Z][a-z0-9]*", match.group(1))}
        for word in sorted(parts & EMPTY_WORDS):
            yield (f"{path}:{line_of(code, match.start())}: \"{word}\" in {match.group(1)} says "
                   "nothing; name it after what it does")
    if not IN_TEST.search(path):
        # Literals may need other characters; comments and code do not.
        bare = without(text, comments=False)
        for number, line in enumerate(bare.split("\n"), 1):
            odd = re.search(r"[^\x00-\x7f]", line)
            if odd:
                yield f"{path}:{number}: \"{odd.group(0)}\" is not ASCII; write it in ASCII"


def check_words(path, text):
    for pattern, why, allowed in WORDS:
        if allowed is not None and allowed.search(path):
            continue
        for match in pattern.finditer(text):
            yield f"{path}:{line_of(text, match.start())}: \"{match.group(0)}\" is {why}" \
                if why.startswith("a ") else \
                f"{path}:{line_of(text, match.start())}: \"{match.group(0)}\" {why}"
    for match in URL.finditer(text):
        host = match.group(1)
        if IN_TEST.search(path) and re.fullmatch(r"[\d.]+|\[[0-9a-f:]+\]", host):
            continue
        if match.group(0).startswith(("s3://", "s3a://", "s3n://")) or "$" in match.group(0):
            continue
        if not PUBLIC_HOST.fullmatch(host.rstrip(".").lower()):
            yield (f"{path}:{line_of(text, match.start())}: {host} is not a public host that the "
                   "check knows; remove it, or add it to PUBLIC_HOST in tools/check_names.py")


def breaches(repository):
    for path in repository.files():
        yield from check_path(path)
        if DATA.search(path) or path == "LICENSE" or path in WORD_LISTS:
            continue
        content = repository.bytes(path)
        if b"\0" in content:
            continue
        text = content.decode("utf-8", errors="replace")
        if re.search(r"\.(h|cc|py|sh)$", path):
            yield from check_source(path, text)
        yield from check_words(path, text)


if __name__ == "__main__":
    run(breaches)
