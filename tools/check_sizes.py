#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds functions and files to their sizes.

A function over 100 lines or a file over 800 is a breach; over 60 and 500 they are printed with
--verbose. Generated files (*.gen.*) are exempt.
"""

import ast
import re

from repository import run, without

FUNCTION_SOFT, FUNCTION_HARD = 60, 100
FILE_SOFT, FILE_HARD = 500, 800

# "path" or "path: function" to the size that is borne for now. Entries may only leave.
ALLOWED = {}


def without_directives(text):
    """Blanks preprocessor lines, and all branches of a condition but its first."""
    result, skipping, continued = [], [], False
    for line in text.split("\n"):
        directive = re.match(r"[ \t]*#[ \t]*(\w+)", line)
        word = directive.group(1) if directive and not continued else ""
        if word in ("if", "ifdef", "ifndef"):
            skipping.append(False)
        elif word in ("else", "elif", "elifdef", "elifndef") and skipping:
            skipping[-1] = True
        elif word == "endif" and skipping:
            skipping.pop()
        blank = bool(word) or continued or any(skipping)
        continued = (bool(word) or continued) and line.endswith("\\")
        result.append("" if blank else line)
    return "\n".join(result)


def innermost_removed(text, opening, closing):
    """`text` without what stands between balanced brackets."""
    result, depth = [], 0
    for character in text:
        if character == opening:
            if depth == 0:
                result.append(opening)
            depth += 1
        elif character == closing and depth > 0:
            depth -= 1
            if depth == 0:
                result.append(closing)
        elif depth == 0:
            result.append(character)
    return "".join(result)


def kind_of(head):
    """What a brace opens, from the text before it: "scope", "function" or "value"."""
    head = re.sub(r"\boperator\s*(\(\s*\)|[^\s\w(]+)", "name", head)
    head = innermost_removed(head, "(", ")").strip()
    while re.match(r"template\s*<", head):
        depth, position = 0, head.index("<")
        for position in range(head.index("<"), len(head)):
            depth += {"<": 1, ">": -1}.get(head[position], 0)
            if depth == 0:
                break
        head = head[position + 1:].strip()
    if re.match(r"(inline\s+)?namespace\b|extern\s*\"|export\b", head):
        return "scope"
    if re.match(r"(typedef\s+)?(class|struct|union|enum)\b", head):
        return "scope"
    if "(" in head and not re.search(r"(?<![<>=!])=(?!=)", head):
        return "function"
    return "value"


def name_of(head):
    before = innermost_removed(head, "(", ")").split("(")[0]
    quoted = re.search(r"\b(TEST\w*|TYPED_TEST\w*|BENCHMARK\w*)\s*\(([^)]*)\)", head)
    if quoted:
        return ".".join(word.strip() for word in quoted.group(2).split(","))
    match = re.search(r"((?:\w+::)*~?\w+|operator\s*\S+)\s*$", before)
    return match.group(1) if match else "function"


def cpp_functions(text):
    """(name, first line, lines) of each function of a C++ file; (None, line, 0) if braces differ."""
    code = without_directives(without(text))
    stack, head, line = [], "", 1
    head_line = None
    for character in code:
        if character == "{":
            in_body = bool(stack) and stack[-1][0] != "scope"
            kind = "inner" if in_body else kind_of(head)
            stack.append((kind, head_line or line, name_of(head) if kind == "function" else ""))
        elif character == "}":
            if not stack:
                yield None, line, 0
                return
            kind, first, name = stack.pop()
            if kind == "function":
                yield name, first, line - first + 1
        label = character == ":" and head.strip() in ("public", "private", "protected")
        if character in "{};" or label:
            head, head_line = "", None
        else:
            if head_line is None and not character.isspace():
                head_line = line
            head += character
        if character == "\n":
            line += 1
    if stack:
        yield None, stack[-1][1], 0


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def functions(path, text):
    if path.endswith(".py"):
        try:
            return list(python_functions(text))
        except SyntaxError as error:
            return [(None, error.lineno or 1, 0)]
    if re.search(r"\.(h|cc)$", path):
        return list(cpp_functions(text))
    return []


def judge(where, key, what, size, limits, repository, needed):
    soft, hard = limits
    if size > hard and size <= ALLOWED.get(key, hard):
        needed.add(key)
    elif size > hard:
        yield f"{where}: {what} has {size} lines, {hard} are the limit; split it by its steps"
    elif size > soft and repository.verbose:
        print(f"{where}: note: {what} has {size} lines, more than {soft}")


def breaches(repository):
    needed = set()
    for path in repository.select(r".+\.(h|cc|py|sh|cmake)|(.+/)?CMakeLists\.txt"):
        if ".gen." in path or "/corpus/" in path:
            continue
        text = repository.text(path)
        yield from judge(f"{path}:1", path, "the file", text.count("\n"), (FILE_SOFT, FILE_HARD),
                         repository, needed)
        for name, line, size in functions(path, text):
            if name is None:
                yield f"{path}:{line}: its functions cannot be told apart here; balance the braces"
                continue
            yield from judge(f"{path}:{line}", f"{path}: {name}", name, size,
                             (FUNCTION_SOFT, FUNCTION_HARD), repository, needed)
    for key in sorted(set(ALLOWED) - needed):
        yield f"tools/check_sizes.py:1: {key} is within its limit by now; remove it from ALLOWED"


if __name__ == "__main__":
    run(breaches)
