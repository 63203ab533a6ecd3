#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds src/ to the layers of tools/layers.toml.

A module includes only what its row lists; pure modules touch no clock, thread, file or socket; each
third-party library has one door; *_internal.h stays in its module; the MODULES lists of the build
and the table of docs/architecture.md say the same as the includes and the layers.
"""

import fnmatch
import re
import tomllib

from repository import line_of, run, without

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
TEST_FOLDER = re.compile(r"/(test|fuzz|bench)/")
LAYERS = "tools/layers.toml"


class Layers:
    def __init__(self, text):
        data = tomllib.loads(text)
        self.modules = {row["name"]: row for row in data["module"]}
        for row in self.modules.values():
            if row["may_include"] == ["*"]:
                row["may_include"] = [other["name"] for other in self.modules.values()
                                      if other["rank"] < row["rank"]]
        self.doors = data.get("door", [])
        self.pure_includes = data.get("pure", {}).get("includes", [])
        self.pure_text = [re.compile(text) for text in data.get("pure", {}).get("text", [])]

    def module_of(self, path):
        """The module that a path below src/ lies in, or None.

        Fakes that the modules of a group share lie in GROUP/test/ and count as the first one's.
        """
        fits = [name for name in self.modules if path.startswith(name + "/")]
        group = self.group_of(path)
        if group:
            fits = [name for name in self.modules if name.startswith(group + "/")][:1]
        return max(fits, key=len, default=None)

    def group_of(self, path):
        """"serve" for "serve/test/fake.h", where serve/catalog is a module and serve is none."""
        group = path.partition("/test/")[0]
        is_group = group not in self.modules and any(name.startswith(group + "/")
                                                     for name in self.modules)
        return group if is_group and "/test/" in path else None

    def own_faults(self):
        for name, row in self.modules.items():
            for other in row["may_include"]:
                if other not in self.modules:
                    yield f"{LAYERS}:1: {name} lists {other}, which has no row; add one"
                elif self.modules[other]["rank"] >= row["rank"]:
                    yield (f"{LAYERS}:1: {name} (rank {row['rank']}) lists {other}, whose rank is "
                           "not lower; a module includes only lower ranks")
                elif row.get("pure") and other != "base" and not self.modules[other].get("pure"):
                    yield f"{LAYERS}:1: {name} is pure and lists {other}, which is not"


def check_own_include(repository, layers, path, module, included, where):
    """A quoted include: a file of ours."""
    target = layers.module_of(included)
    in_test = TEST_FOLDER.search(path)
    if target is None or not (repository.root / "src" / included).is_file():
        yield (f"{where}: \"{included}\" is no file below src/; write the path from src/, or <...> "
               "for a library's header")
        return
    if TEST_FOLDER.search(included) and not in_test:
        yield f"{where}: product code includes the test header {included}; move what it needs"
    if target == module or (in_test and module.startswith(f"{layers.group_of(included)}/")):
        return
    if included.endswith("_internal.h"):
        yield f"{where}: {included} is internal to {target}; use or widen that module's public headers"
    if target not in layers.modules[module]["may_include"]:
        yield (f"{where}: {module} may not include {target}; declare the interface here and let app "
               f"connect the two, or add the edge to {LAYERS} in review")


def check_library_include(repository, layers, path, module, included, where):
    """An include in angle brackets: the standard library or a third party's."""
    in_test = TEST_FOLDER.search(path)
    if (repository.root / "src" / included).is_file():
        yield f"{where}: <{included}> is a file of ours; write it in quotes"
        return
    for door in layers.doors:
        if not any(fnmatch.fnmatchcase(included, pattern) for pattern in door["includes"]):
            continue
        if module not in door["modules"] and not (in_test and door.get("tests")):
            doors = ", ".join(door["modules"]) or ("tests" if door.get("tests") else "nobody yet")
            yield (f"{where}: {door['library']} (<{included}>) may be used by {doors} only; go "
                   "through that module")
        return


def check_purity(layers, path, module, text, includes):
    if not layers.modules[module].get("pure") or TEST_FOLDER.search(path):
        return
    for line, included in includes:
        if any(fnmatch.fnmatchcase(included, pattern) for pattern in layers.pure_includes):
            yield (f"{path}:{line}: {module} is pure and may not include {included}; take the value "
                   "as an argument instead")
    code = without(text)
    for pattern in layers.pure_text:
        for match in pattern.finditer(code):
            yield (f"{path}:{line_of(code, match.start())}: {module} is pure and may not use "
                   f"{match.group(0)}; take the value as an argument instead")


def cmake_calls(text, function):
    """(line, module, {KEYWORD: [words]}) of each call of one of the frazil_* functions."""
    text = re.sub(r"#[^\n]*", "", text)
    for match in re.finditer(r"\b" + function + r"\s*\(([^)]*)\)", text):
        words = match.group(1).split()
        lists, key = {}, None
        for word in words[1:]:
            if re.fullmatch(r"SOURCES?|MODULES|PUBLIC|PRIVATE|CORPUS", word):
                key = word
                lists.setdefault(key, [])
            elif key:
                lists[key].append(word)
        yield line_of(text, match.start()), words[0] if words else "", lists


def check_build(repository, layers, module, used):
    """MODULES of frazil_module against the layers and against what is included."""
    path = f"src/{module}/CMakeLists.txt"
    text = repository.text(path)
    for line, name, lists in cmake_calls(text, "frazil_module"):
        if name != module:
            yield f"{path}:{line}: frazil_module({name}) in the folder of {module}; name it {module}"
        listed = lists.get("MODULES", [])
        for other in listed:
            if other not in layers.modules[module]["may_include"]:
                yield f"{path}:{line}: MODULES lists {other}, which {module} may not include; remove it"
            elif other not in used:
                yield f"{path}:{line}: MODULES lists {other}, which no source includes; remove it"
        for other in sorted(used - set(listed) - {module}):
            if other in layers.modules[module]["may_include"]:
                yield f"{path}:{line}: sources include {other}; add it to MODULES"


def check_build_order(repository, layers):
    path = "src/CMakeLists.txt"
    text = repository.text(path)
    match = re.search(r"foreach\s*\(\s*module\b([^)]*)\)", text)
    if not match:
        return
    order = match.group(1).split()
    line = line_of(text, match.start())
    for folder in repository.select(r"src/.+/CMakeLists\.txt"):
        module = folder[len("src/"):-len("/CMakeLists.txt")]
        if module in layers.modules and module not in order:
            yield f"{path}:{line}: {module} is not in the list of folders; add it"
    for position, module in enumerate(order):
        if module not in layers.modules:
            yield f"{path}:{line}: {module} has no row in {LAYERS}; add one"
            continue
        for other in layers.modules[module]["may_include"]:
            if other in order[position:]:
                yield f"{path}:{line}: {other} stands after {module}, which may include it; move it up"


def check_page(repository, layers):
    """Rows "| 3 | `ledger` | purpose | base telemetry |" of docs/architecture.md."""
    path = "docs/architecture.md"
    text = repository.text(path)
    if not text:
        return
    shown = {}
    for match in re.finditer(r"^\| *(\d+) *\| *`([a-z0-9_/]+)`[^|]*\|[^|]*\|([^|]*)\|", text, re.MULTILINE):
        where = f"{path}:{line_of(text, match.start())}"
        rank, name, listed = int(match.group(1)), match.group(2), match.group(3).strip(" -–")
        row = layers.modules.get(name)
        shown[name] = True
        if row is None:
            yield f"{where}: {name} has no row in {LAYERS}; make the two agree"
        elif rank != row["rank"] or (listed != "all lower" and
                                     sorted(listed.split()) != sorted(row["may_include"])):
            yield (f"{where}: {name} stands in {LAYERS} with rank {row['rank']} and "
                   f"\"{' '.join(row['may_include'])}\"; make the two agree")
    for name in layers.modules:
        if name not in shown:
            yield f"{path}:1: the table of parts lacks {name}; add its row"


def breaches(repository):
    layers = Layers(repository.text(LAYERS))
    yield from layers.own_faults()
    used = {module: set() for module in layers.modules}
    for path in repository.select(r"src/.+\.(h|cc)"):
        module = layers.module_of(path[len("src/"):])
        if module is None:
            yield f"{path}:1: lies in no module of {LAYERS}; move it, or add the module's row"
            continue
        text = repository.text(path)
        code = without(text, strings=False)
        includes = []
        for match in INCLUDE.finditer(code):
            line = line_of(code, match.start(1) if match.group(1) else match.start(2))
            own, library = match.groups()
            includes.append((line, own or library))
            where = f"{path}:{line}"
            if own:
                yield from check_own_include(repository, layers, path, module, own, where)
                if not TEST_FOLDER.search(path):
                    used[module].add(layers.module_of(own))
            else:
                yield from check_library_include(repository, layers, path, module, library, where)
        yield from check_purity(layers, path, module, text, includes)
    for module in layers.modules:
        yield from check_build(repository, layers, module, used[module] - {None})
    yield from check_build_order(repository, layers)
    yield from check_page(repository, layers)


if __name__ == "__main__":
    run(breaches)
