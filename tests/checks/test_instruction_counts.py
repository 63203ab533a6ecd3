# SPDX-License-Identifier: Apache-2.0
"""The guard of instruction counts fails when a loop takes more of them, and only then.

Run: python3 -m unittest discover -s tests/checks
"""

import pathlib
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import count_instructions  # noqa: E402


def counts(**instructions):
    return {name: {"name": name, "records": 100, "instructions": count}
            for name, count in instructions.items()}


class CompareTest(unittest.TestCase):
    def compare(self, expected, measured):
        return count_instructions.compare(expected, measured)

    def test_the_same_counts_pass_without_a_word(self):
        self.assertEqual(self.compare(counts(crc=1000), counts(crc=1000)), ([], []))

    def test_what_is_within_five_percent_passes(self):
        self.assertEqual(self.compare(counts(crc=1000), counts(crc=1050)), ([], []))
        self.assertEqual(self.compare(counts(crc=1000), counts(crc=950)), ([], []))

    def test_a_count_that_rises_by_more_fails_and_is_named(self):
        faults, notes = self.compare(counts(crc=1000, lz4=500), counts(crc=1051, lz4=500))
        self.assertEqual(len(faults), 1)
        self.assertIn("crc takes 1051 instructions (11 a record), +5.1 %", faults[0])
        self.assertEqual(notes, [])

    def test_a_count_that_falls_by_more_is_told_and_does_not_fail(self):
        faults, notes = self.compare(counts(crc=1000), counts(crc=900))
        self.assertEqual(faults, [])
        self.assertIn("-10.0 %", notes[0])
        self.assertIn("lower the number", notes[0])

    def test_a_step_without_a_row_fails(self):
        faults, _ = self.compare(counts(crc=1000), counts(crc=1000, lz4=5))
        self.assertIn("lz4 has no row", faults[0])

    def test_a_row_without_a_step_fails(self):
        faults, _ = self.compare(counts(crc=1000, lz4=5), counts(crc=1000))
        self.assertIn("lz4 was not measured", faults[0])

    def test_a_row_for_another_number_of_records_fails(self):
        measured = counts(crc=1000)
        measured["crc"]["records"] = 200
        self.assertIn("no row for 200 records", self.compare(counts(crc=1000), measured)[0][0])


class FilesTest(unittest.TestCase):
    def test_a_dump_gives_its_step_and_its_total(self):
        dump = "version: 1\ndesc: Trigger: Client Request: batch_lz4\n\ntotals: 10351334\n"
        self.assertEqual(count_instructions.parse_dump(dump), ("batch_lz4", 10351334))

    def test_the_dump_at_the_end_of_the_program_is_no_step(self):
        dump = "version: 1\ndesc: Trigger: Program termination\n\ntotals: 11\n"
        self.assertIsNone(count_instructions.parse_dump(dump))

    def test_what_is_written_is_what_is_read(self):
        measured = counts(crc=1000, lz4=500)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "counts.toml"
            path.write_text(count_instructions.render(measured))
            self.assertEqual(count_instructions.read_counts(path), measured)


if __name__ == "__main__":
    unittest.main()
