# SPDX-License-Identifier: Apache-2.0
"""Each check passes on a small good tree and fails on the same tree with one fault.

Run: python3 -m unittest discover -s tests/checks
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import check_anatomy  # noqa: E402
import check_docs  # noqa: E402
import check_format  # noqa: E402
import check_generated  # noqa: E402
import check_headers  # noqa: E402
import check_layers  # noqa: E402
import check_names  # noqa: E402
import check_sizes  # noqa: E402
from repository import Repository, without  # noqa: E402

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
LAYERS = """
module = [
  { name = "base", rank = 0, may_include = [] },
  { name = "avro", rank = 1, pure = true, may_include = ["base"] },
  { name = "ledger", rank = 2, may_include = ["base", "avro"] },
  { name = "app", rank = 3, may_include = ["*"] },
]
[pure]
includes = ["base/clock.h", "thread", "sys/*"]
text = ['_clock::now\\b']
[[door]]
library = "SQLite"
includes = ["sqlite3.h"]
modules = ["ledger"]
[[door]]
library = "GoogleTest"
includes = ["gtest/*"]
modules = []
tests = true
"""
GOOD = {
    "tools/layers.toml": LAYERS,
    "src/CMakeLists.txt": "foreach(module\n  base\n  avro\n  ledger)\nendforeach()\n",
    "src/base/clock.h": SPDX + "// A clock.\n#pragma once\n",
    "src/base/README.md": "# base\n",
    "src/base/CMakeLists.txt": "frazil_module(base SOURCES clock.cc)\n"
                               "frazil_test(base SOURCES test/clock_test.cc)\n",
    "src/base/clock.cc": SPDX + '#include "base/clock.h"\n',
    "src/base/test/clock_test.cc": SPDX + "#include <gtest/gtest.h>\n",
    "src/avro/schema.h": SPDX + "#pragma once\n",
    "src/avro/schema_internal.h": SPDX + "#pragma once\n",
    "src/avro/schema.cc": SPDX + '#include "avro/schema.h"\n',
    "src/avro/README.md": "# avro\n",
    "src/avro/CMakeLists.txt": "frazil_module(avro SOURCES schema.cc)\n"
                               "frazil_test(avro SOURCES test/schema_test.cc)\n"
                               "frazil_fuzzer(avro_fuzz SOURCE fuzz/avro_fuzz.cc CORPUS fuzz/corpus/avro)\n",
    "src/avro/test/schema_test.cc": SPDX + "#include <gtest/gtest.h>\n\n#include <thread>\n",
    "src/avro/fuzz/avro_fuzz.cc": SPDX,
    "src/avro/fuzz/corpus/avro/one": "x",
    "src/ledger/ledger.cc": SPDX + '#include <sqlite3.h>\n\n#include "base/clock.h"\n',
    "src/ledger/README.md": "# ledger\n",
    "src/ledger/CMakeLists.txt": "frazil_module(ledger SOURCES ledger.cc MODULES base)\n"
                                 "frazil_test(ledger SOURCES test/ledger_test.cc)\n",
    "src/ledger/test/ledger_test.cc": SPDX,
    "docs/rules.md": "".join(f"- **R{number} Name.** Text.\n" for number in range(1, 26)),
    "docs/decisions/README.md": "- [0001](0001-a-choice.md)\n",
    "docs/decisions/0001-a-choice.md": "# 1\n## Context\n## Decision\n## Consequences\n",
    "README.md": "# A page\n\nSee [rules](docs/rules.md) and [here](#a-page), `[not](a-link)`.\n",
}


class CheckTest(unittest.TestCase):
    def tree(self, changes):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        for path, text in {**GOOD, **changes}.items():
            if text is not None:
                file = pathlib.Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        return Repository(folder)

    def assert_passes(self, check, changes=None):
        self.assertEqual(list(check.breaches(self.tree(changes or {}))), [])

    def assert_breach(self, check, changes, words):
        found = list(check.breaches(self.tree(changes)))
        self.assertTrue(any(words in line for line in found), f"{words!r} not in {found}")
        for line in found:
            self.assertRegex(line, r"^[^:\n]+:\d+: [^\n]+$")


class LayersTest(CheckTest):
    def breach(self, path, text, words):
        self.assert_breach(check_layers, {path: SPDX + text}, words)

    def test_good_tree_passes(self):
        self.assert_passes(check_layers)

    def test_include_upwards_fails(self):
        self.breach("src/base/clock.cc", '#include "avro/schema.h"\n', "base may not include avro")

    def test_breach_names_its_line(self):
        self.breach("src/base/clock.cc", '\n#include "avro/schema.h"\n', "src/base/clock.cc:3:")

    def test_app_is_included_by_nobody(self):
        self.assert_breach(check_layers, {"src/app/app.h": SPDX, "src/ledger/ledger.cc":
                                          SPDX + '#include "app/app.h"\n'}, "may not include app")

    def test_include_in_a_comment_does_not_count(self):
        self.assert_passes(check_layers, {"src/base/clock.cc":
                                          SPDX + '/*\n#include "avro/schema.h"\n*/\n'})

    def test_internal_header_of_another_module_fails(self):
        self.breach("src/ledger/ledger.cc", '#include "avro/schema_internal.h"\n', "is internal to avro")

    def test_missing_or_relative_file_fails(self):
        self.breach("src/avro/schema.cc", '#include "schema.h"\n', "is no file below src/")

    def test_own_file_in_angle_brackets_fails(self):
        self.breach("src/avro/schema.cc", "#include <avro/schema.h>\n", "write it in quotes")

    def test_clock_in_pure_module_fails(self):
        self.breach("src/avro/schema.cc", '#include "base/clock.h"\n', "pure and may not include")

    def test_thread_and_system_headers_in_pure_module_fail(self):
        self.breach("src/avro/schema.cc", "#include <thread>\n", "may not include thread")
        self.breach("src/avro/schema.cc", "#include <sys/socket.h>\n", "may not include sys/socket.h")

    def test_now_in_pure_module_fails(self):
        self.breach("src/avro/schema.cc", "auto t = std::chrono::steady_clock::now();\n",
                    "may not use _clock::now")

    def test_library_behind_another_door_fails(self):
        self.breach("src/base/clock.cc", "#include <sqlite3.h>\n", "may be used by ledger only")

    def test_test_library_in_product_code_fails(self):
        self.breach("src/base/clock.cc", "#include <gtest/gtest.h>\n", "may be used by tests only")

    def test_test_header_in_product_code_fails(self):
        self.assert_breach(check_layers, {"src/base/test/fake.h": SPDX, "src/base/clock.cc":
                                          SPDX + '#include "base/test/fake.h"\n'}, "includes the test header")

    def test_tests_of_a_group_share_a_folder(self):
        group = LAYERS.replace('  { name = "app"', '  { name = "serve/a", rank = 2, may_include = ["base"] },\n'
                               '  { name = "serve/b", rank = 2, may_include = ["base"] },\n  { name = "app"')
        files = {"tools/layers.toml": group, "src/serve/test/fake.h": SPDX,
                 "src/serve/b/test/b_test.cc": SPDX + '#include "serve/test/fake.h"\n'}
        self.assert_passes(check_layers, files)
        self.assert_breach(check_layers, {**files, "src/serve/b/b.cc":
                                          SPDX + '#include "serve/test/fake.h"\n'}, "test header")

    def test_build_list_is_held_against_the_includes(self):
        path = "src/ledger/CMakeLists.txt"
        self.assert_breach(check_layers, {path: "frazil_module(ledger SOURCES ledger.cc)"},
                           "add it to MODULES")
        self.assert_breach(check_layers, {path: "frazil_module(ledger MODULES base avro)"},
                           "which no source includes")
        self.assert_breach(check_layers, {path: "frazil_module(ledger MODULES base app)"},
                           "may not include; remove it")

    def test_folder_without_row_and_order_fail(self):
        self.assert_breach(check_layers, {"src/other/a.h": SPDX}, "in no module")
        self.assert_breach(check_layers, {"src/CMakeLists.txt": "foreach(module avro base ledger)"},
                           "base stands after avro")
        self.assert_breach(check_layers, {"src/CMakeLists.txt": "foreach(module base avro)"},
                           "ledger is not in the list")

    def test_table_itself_is_checked(self):
        bad = LAYERS.replace('rank = 0, may_include = []', 'rank = 0, may_include = ["app"]')
        self.assert_breach(check_layers, {"tools/layers.toml": bad}, "rank is not lower")

    def test_page_is_held_against_the_table(self):
        rows = "| 0 | `base` | p | – |\n| 1 | `avro` | p | base |\n| 2 | `ledger` | p | base avro |\n"
        app = "| 3 | `app` | p | all lower |\n"
        self.assert_passes(check_layers, {"docs/architecture.md": rows + app})
        self.assert_breach(check_layers, {"docs/architecture.md": rows}, "lacks app")
        self.assert_breach(check_layers, {"docs/architecture.md": rows.replace("base avro", "base") + app},
                           "make the two agree")


class NamesTest(CheckTest):
    def breach(self, path, text, words):
        self.assert_breach(check_names, {path: text}, words)

    def test_good_tree_passes(self):
        self.assert_passes(check_names)

    def test_empty_words_in_names_fail(self):
        self.breach("src/avro/string_utils.h", SPDX + "#pragma once\n", '"utils" in a name')
        self.breach("src/common/a.h", SPDX + "#pragma once\n", '"common" in a name')
        self.breach("src/avro/schema.cc", SPDX + "class FetchManager {};\n", '"manager" in FetchManager')

    def test_form_of_file_names(self):
        self.breach("src/avro/SchemaReader.cc", SPDX, "snake_case")
        self.breach("src/avro/schema.cpp", SPDX, ".cc and .h")

    def test_licence_line_and_guard(self):
        self.breach("src/avro/schema.cc", "int a;\n", "licence line")
        self.breach("tools/a.py", "#!/usr/bin/env python3\nimport re\n", "licence line")
        self.breach("src/avro/schema.h", SPDX, "#pragma once")

    def test_waiting_work_fails(self):
        self.breach("src/avro/schema.cc", SPDX + "// TODO: all\n", "TODO")

    def test_ascii(self):
        self.breach("src/avro/schema.cc", SPDX + "// a – b\n", "not ASCII")
        self.assert_passes(check_names, {"src/avro/schema.cc": SPDX + 'auto a = "–";\n'})
        self.assert_passes(check_names, {"src/avro/test/schema_test.cc": SPDX + "// é\n"})

    def test_words_that_tell_of_the_making_fail(self):
        for text, words in [
                ("see issue #12", "one tracker"), ("done (#7)", "one tracker"),
                ("as agreed last session", "how the file was made"),
                ("in /work/main/src", "one machine"), ("in /home/somebody/src", "one machine"),
                ("into /tmp/out", "temporary folder"),
                ("pip install --index-url x", "package registry"),
                ("http://mirror.corp.internal/a", "not a public host"),
                ("http://10.1.2.3:8080/", "not a public host"),
                ("-----BEGIN RSA PRIVATE KEY-----", "secret"),
                ("AKIA" + "ABCDEFGHIJKLMNOP", "secret")]:
            self.breach("docs/a.md", text + "\n", words)

    def test_words_of_the_field_pass(self):
        self.assert_passes(check_names, {"docs/a.md": "A session token, a TLS session, a/b#12, "
                                         "https://iceberg.apache.org/spec, http://127.0.0.1:8181, "
                                         "s3://frazil/speed, AKIAIOSFODNN7EXAMPLE, Avro 1.11\n"})


class SizesTest(CheckTest):
    def body(self, lines):
        return "".join(f"  a = {number};\n" for number in range(lines))

    def sizes(self, text):
        return {name: size for name, _, size in check_sizes.cpp_functions(text)}

    def test_good_tree_passes_and_nothing_is_allowed(self):
        self.assert_passes(check_sizes)
        # A ratchet: this number may only fall.
        self.assertLessEqual(len(check_sizes.ALLOWED), 0)

    def test_long_function_fails(self):
        path = "src/avro/schema.cc"
        self.assert_passes(check_sizes, {path: f"int F() {{\n{self.body(98)}}}\n"})
        self.assert_breach(check_sizes, {path: f"int F() {{\n{self.body(99)}}}\n"}, "F has 101 lines")
        self.assert_breach(check_sizes, {"tools/a.py": "def f():\n" + "  a = 1\n" * 100}, "f has 101")

    def test_long_file_fails_unless_generated(self):
        self.assert_breach(check_sizes, {"src/avro/schema.cc": "\n" * 801}, "the file has 801 lines")
        self.assert_passes(check_sizes, {"src/avro/schema.gen.cc": "\n" * 801})

    def test_functions_are_found_in_their_forms(self):
        found = self.sizes(textwrap.dedent("""\
            namespace frazil::avro {
            namespace {
            constexpr int kTable[] = {
                1,
                2};
            const auto kMade = Make({
                1, 2});
            }  // namespace
            template <typename T, int N = (1 << 2)>
            class FRAZIL_ANNOTATION(capability("mutex")) Reader final : public Base<T> {
             public:
              Reader(int a, int b = 1)
                  : a_(a), b_(b) {
                const char* text = "}}}{";
                char brace = '{';
              }
              bool operator==(const Reader&) const = default;
              Reader& operator=(Reader&& other) noexcept {
                return *this;
              }
             private:
              int a_{0};
            };
            #if defined(X)
            int Twice(int a) {
            #else
            int Twice(long a) {
            #endif
              auto inner = [&] { for (;;) { if (a) { return 1; } } };
              // }
              return R"(}})"[0] + 1'000;
            }
            }  // namespace frazil::avro
            TEST(ReaderTest, ReadsAll) {
              EXPECT_TRUE(true);
            }
            """))
        self.assertEqual(found, {"Reader": 5, "operator=": 3, "Twice": 8, "ReaderTest.ReadsAll": 3})

    def test_unbalanced_braces_are_told(self):
        self.assert_breach(check_sizes, {"src/avro/schema.cc": "int F() {\n"}, "balance the braces")

    def test_comments_and_literals_become_blanks(self):
        self.assertEqual(without('a("{//"); // {\n/*{\n*/b'), 'a("   ");     \n   \n  b')


class HeadersTest(CheckTest):
    def test_header_that_lacks_an_include_fails_and_good_ones_are_remembered(self):
        good = SPDX + "#pragma once\n#include <string>\ninline std::string A() { return {}; }\n"
        tree = self.tree({"src/avro/schema.h": good, "src/avro/schema.cc": None})
        self.assertEqual(list(check_headers.breaches(tree)), [])
        memory = tree.root / "build" / "checked_headers.json"
        before = memory.read_text()
        old_compile = check_headers.HeaderCompiler.compile
        self.addCleanup(setattr, check_headers.HeaderCompiler, "compile", old_compile)
        check_headers.HeaderCompiler.compile = lambda *_: self.fail("compiled again")
        self.assertEqual(list(check_headers.breaches(tree)), [])
        self.assertEqual(memory.read_text(), before)
        check_headers.HeaderCompiler.compile = old_compile
        (tree.root / "src/avro/schema.h").write_text(good.replace("#include <string>\n", ""))
        found = list(check_headers.breaches(tree))
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"^src/avro/schema.h:3: .*does not compile alone")


    def test_header_that_its_source_includes_first_is_left_to_the_build(self):
        bad = {"src/avro/schema.h": SPDX + "std::string A();\n"}
        self.assert_passes(check_headers, bad)
        self.assert_breach(check_headers, {**bad, "src/avro/schema.cc":
                                           SPDX + '#include <string>\n#include "avro/schema.h"\n'},
                           "does not compile alone")


@unittest.skipIf(shutil.which("clang-format-19") is None, "clang-format-19 is not installed")
class FormatTest(CheckTest):
    STYLE = {".clang-format": "BasedOnStyle: Google\nSortIncludes: Never\n"}

    def test_unformatted_source_fails(self):
        self.assert_passes(check_format, self.STYLE)
        self.assert_breach(check_format, {**self.STYLE, "src/avro/schema.cc": SPDX + "int  a ;\n"},
                           "src/avro/schema.cc:2: not formatted")


class GeneratedTest(CheckTest):
    def test_generator_decides(self):
        path = "tools/generate_definitions.py"
        self.assert_passes(check_generated, {path: "import sys\nassert sys.argv[1] == '--check'\n"})
        self.assert_breach(check_generated, {path: "import sys\nsys.exit('a.gen.h differs')\n"},
                           "a.gen.h differs")


class AnatomyTest(CheckTest):
    def test_good_tree_passes(self):
        self.assert_passes(check_anatomy)

    def test_what_is_missing_fails(self):
        cmake = GOOD["src/avro/CMakeLists.txt"]
        for changes, words in [
                ({"src/avro/README.md": None}, "README.md:1: missing"),
                ({"src/avro/README.md": "a\n" * 61}, "61 lines"),
                ({"src/avro/test/schema_test.cc": None}, "no tests"),
                ({"src/avro/CMakeLists.txt": cmake.replace("frazil_test", "#")}, "no tests"),
                ({"src/avro/extra.cc": SPDX}, "extra.cc:1: in no target"),
                ({"src/avro/fuzz/corpus/avro/one": None}, "is empty"),
                ({"src/avro/fuzz/corpus/avro/one": ""}, "is empty"),
                ({"src/avro/CMakeLists.txt": cmake.replace("frazil_fuzzer", "#")}, "has no fuzzer"),
                ({"src/avro/CMakeLists.txt": cmake.replace("frazil_fuzzer", "#")}, "never built")]:
            self.assert_breach(check_anatomy, changes, words)


class DocsTest(CheckTest):
    def test_good_tree_passes(self):
        self.assert_passes(check_docs)

    def test_faults_fail(self):
        rules = GOOD["docs/rules.md"]
        for changes, words in [
                ({"README.md": "[a](docs/none.md)\n"}, "leads nowhere"),
                ({"README.md": "[a](docs/rules.md#none)\n"}, "no heading #none"),
                ({"docs/rules.md": rules.replace("R7 ", "R8 ")}, "R7 stands 0 times"),
                ({"docs/rules.md": rules + "- **R26 Name.** Text.\n"}, "beyond the last"),
                ({"src/avro/test/schema_test.cc": SPDX + "// R31\n"}, "cites R31"),
                ({"docs/decisions/0002-other.md": "## Context\n## Decision\n## Consequences\n"},
                 "does not list"),
                ({"docs/decisions/0001-a-choice.md": "# 1\n"}, 'no "## Context"'),
                ({"docs/decisions/0001-b.md": "# 1\n"}, "has the number of")]:
            self.assert_breach(check_docs, changes, words)


class ProgramTest(CheckTest):
    def test_exit_status_tells(self):
        for name in sorted(path.name for path in TOOLS.glob("check_*.py")):
            self.assertTrue(os.access(TOOLS / name, os.X_OK), f"{name} is not executable")
        script = TOOLS / "check_docs.py"
        good = subprocess.run([script, "--root", self.tree({}).root], capture_output=True, text=True)
        self.assertEqual((good.returncode, good.stdout), (0, ""))
        bad = subprocess.run([script, "--root", self.tree({"README.md": "[a](b)\n"}).root],
                             capture_output=True, text=True)
        self.assertEqual((bad.returncode, bad.stdout), (1, "README.md:1: b leads nowhere; mend the link\n"))


if __name__ == "__main__":
    unittest.main()
