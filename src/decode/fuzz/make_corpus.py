# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzzers' corpora from the vectors of tests/interop/decode_vectors.py and from records
made by hand:

    python src/decode/fuzz/make_corpus.py
"""

import json
import pathlib

HERE = pathlib.Path(__file__).parent
VECTORS = HERE.parent / "test/testdata/decode_vectors.json"

# One record of each schema of decode_records_fuzz.cc; 255 is a tombstone.
FLAT = bytes.fromhex("01" "0203" "8080808020" "0000c03f" "00" "0000000000000440" "040102" "00"
                     "046869" "02" "070809" "0297" + "ff" * 19 + "97" "48") + \
    b"8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1"
SKIPPED = bytes.fromhex("046162" "0280a0e6b1c163" "cf0f" "02" "02" "0461" "626304" "feff01" "00" "00" "00")
RECURSIVE = bytes.fromhex("0261" "02" "00" "00" "00" "02" "00" "00")
# One where every value is there, one where as little as can be is.
NESTED = [bytes.fromhex("02" "0261" "06" "00" "020204" "040a" "00"
                        "02026b" "02" "02027600010202780000" "00" "00"
                        "04" "0400" "03120000000000000440020201" "00"),
          bytes.fromhex("00" "00" "00" "00")]
RECORDS = {"nested": (3, NESTED), "flat": (0, [FLAT, None, FLAT]), "skipped": (1, [SKIPPED]), "recursive": (2, [RECURSIVE])}


def main():
    records = HERE / "corpus/decode_records"
    schemas = HERE / "corpus/decode_schema"
    for folder in (records, schemas):
        folder.mkdir(parents=True, exist_ok=True)
    for name, (writer, bodies) in RECORDS.items():
        content = bytes([writer])
        for body in bodies:
            content += b"\xff" if body is None else bytes([len(body)]) + body
        (records / name).write_bytes(content)
    for vector in json.loads(VECTORS.read_text()):
        if len(vector["schemas"]) > 1:
            continue
        body = bytes.fromhex(vector["records"][0]["body"])
        name = vector["name"].split()[1]
        (schemas / name).write_bytes(vector["schemas"][0].encode() + b"\0" + body)


if __name__ == "__main__":
    main()
