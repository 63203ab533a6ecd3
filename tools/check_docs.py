#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the pages to each other and to the code.

Links between Markdown files resolve, with their headings; docs/rules.md holds R1 to R25 once each;
a rule that is cited exists; decisions have their form and stand in the list.
"""

import pathlib
import posixpath
import re
import urllib.parse

from repository import line_of, run

RULES = "docs/rules.md"
RULE_COUNT = 25
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
DECISION_PARTS = ("Context", "Decision", "Consequences")


def without_code(text):
    """Blanks fenced blocks and code spans; a link in them is an example."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    text = re.sub(r"^(```|~~~).*?^\1[^\n]*$", blank, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", blank, text)


def anchors(text):
    """The anchors that a page's headings get."""
    found, bare = set(), re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#{1,6} +(.*?)\s*#*$", bare, re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(anchor)
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def check_links(repository, path):
    text = without_code(repository.text(path))
    for match in LINK.finditer(text):
        target = urllib.parse.unquote(match.group(1))
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        where = f"{path}:{line_of(text, match.start())}"
        name, _, anchor = target.partition("#")
        if name.startswith("/"):
            yield f"{where}: {target} begins at the root of a site; write it from this page"
            continue
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
        if not (repository.root / file).exists():
            yield f"{where}: {target} leads nowhere; mend the link"
        elif anchor and file.endswith(".md") and anchor not in anchors(repository.text(file)):
            yield f"{where}: {file} has no heading #{anchor}; mend the link"


def check_rules(repository):
    text = repository.text(RULES)
    defined = [int(number) for number in re.findall(r"^- \*\*R(\d+)\b", text, re.MULTILINE)]
    for number in range(1, RULE_COUNT + 1):
        if defined.count(number) != 1:
            yield (f"{RULES}:1: R{number} stands {defined.count(number)} times; each rule is one "
                   f"item \"- **R{number} Name.** text\"")
    for number in sorted(set(defined) - set(range(1, RULE_COUNT + 1))):
        yield f"{RULES}:1: R{number} is beyond the last; raise RULE_COUNT in tools/check_docs.py"
    cited = set()
    for path in repository.select(r"(src|tests|docs|definitions|tools)/.+\.(h|cc|py|md|toml)|[A-Z]+\.md"):
        if path in (RULES, "tests/checks/test_checks.py"):
            continue
        page = repository.text(path)
        for match in re.finditer(r"(?<![\w%-])R(\d{1,2})\b(?![\w(\"'])", page):
            number = int(match.group(1))
            if number not in defined:
                yield (f"{path}:{line_of(page, match.start())}: cites R{number}, which {RULES} does "
                       "not hold; cite the rule that is meant")
            if re.search(r"(^|/)tests?/", path):
                cited.add(number)
    if repository.verbose:
        silent = [f"R{number}" for number in sorted(set(defined) - cited)]
        print(f"{RULES}: note: cited by no test: {' '.join(silent)}")


def check_decisions(repository):
    index_path = "docs/decisions/README.md"
    index = repository.text(index_path)
    numbers = {}
    for path in repository.select(r"docs/decisions/(?!README).+"):
        name = pathlib.PurePosixPath(path).name
        match = re.fullmatch(r"(\d{4})-[a-z0-9-]+\.md", name)
        if not match:
            yield f"{path}:1: decisions are named NNNN-some-words.md; rename it"
            continue
        if match.group(1) in numbers:
            yield f"{path}:1: has the number of {numbers[match.group(1)]}; take the next free one"
        numbers[match.group(1)] = path
        if f"({name})" not in index:
            yield f"{index_path}:1: does not list {name}; add its line"
        text = repository.text(path)
        for part in DECISION_PARTS:
            if not re.search(rf"^## {part}\b", text, re.MULTILINE):
                yield f"{path}:1: has no \"## {part}\"; see docs/decisions/README.md"


def breaches(repository):
    for path in repository.select(r".+\.md"):
        yield from check_links(repository, path)
    yield from check_rules(repository)
    yield from check_decisions(repository)


if __name__ == "__main__":
    run(breaches)
