# SPDX-License-Identifier: Apache-2.0
"""What every check needs: the repository's files, C++ text without comments, and one way to report.

A check is a script tools/check_NAME.py with a function breaches(repository) that yields lines
"file:line: what is wrong; what to do". It is run from anywhere, prints nothing when all is well,
and exits 1 otherwise.
"""

import argparse
import pathlib
import re
import subprocess
import sys

OWN_ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_OURS = re.compile(r"^(\.git|\.deps|\.run|dev-data|build|build-[^/]*|.*__pycache__)(/|$)")


class Repository:
    def __init__(self, root, verbose=False):
        self.root = pathlib.Path(root).resolve()
        self.verbose = verbose
        self._files = None

    def files(self):
        """Paths below the root, as text with slashes, sorted; ignored and deleted files left out."""
        if self._files is None:
            self._files = sorted(path for path in self._listed()
                                 if not NOT_OURS.match(path) and (self.root / path).is_file())
        return self._files

    def _listed(self):
        if (self.root / ".git").exists():
            command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
            listed = subprocess.run(command, cwd=self.root, capture_output=True, check=True)
            return set(listed.stdout.decode().split("\0")) - {""}
        return {path.relative_to(self.root).as_posix() for path in self.root.rglob("*")}

    def select(self, pattern):
        """The files whose whole path matches a regular expression."""
        matcher = re.compile(pattern)
        return [path for path in self.files() if matcher.fullmatch(path)]

    def bytes(self, path):
        try:
            return (self.root / path).read_bytes()
        except FileNotFoundError:  # deleted since it was listed
            return b""

    def text(self, path):
        return self.bytes(path).decode("utf-8", errors="replace")


# Comments, raw strings, strings and characters, in the order in which they must be tried. A quote
# between two digits separates them (1'000).
_CPP_TOKENS = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def without(text, comments=True, strings=True):
    """C++ text in which comments and the insides of literals are blanks; lines stay where they are."""
    def blank(match):
        found = match.group(0)
        if found.startswith("/"):
            return re.sub(r"[^\n]", " ", found) if comments else found
        if not strings:
            return found
        return '"' + re.sub(r"[^\n]", " ", found[1:-1]) + '"'
    return _CPP_TOKENS.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def run(breaches):
    """Runs a check as a program."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=OWN_ROOT, help="the tree to check (default: this one)")
    parser.add_argument("--verbose", action="store_true", help="print what is only worth knowing")
    options = parser.parse_args()
    found = list(breaches(Repository(options.root, options.verbose)))
    for breach in found:
        print(breach)
    sys.exit(1 if found else 0)
