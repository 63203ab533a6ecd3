#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the corpus of page_encoder_fuzz: streams of choices of many lengths.

    python3 src/parquet/fuzz/make_corpus.py

A byte is a choice (test/generated_batch.h), so any bytes make a batch: short streams end in zeros,
long ones fill many rows. The first byte chooses how many columns there are, the third the type of
the first one.
"""

import pathlib
import random


def main():
    folder = pathlib.Path(__file__).parent / "corpus" / "page_encoder"
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(1)
    # One column of each type, then anything.
    for kind in range(17):
        stream = bytes([0, source.randrange(3), kind]) + source.randbytes(1500)
        (folder / f"type_{kind}").write_bytes(stream)
    for number, length in enumerate([0, 1, 20, 100, 300, 1000, 3000, 8000, 20000]):
        (folder / f"any_{number}").write_bytes(source.randbytes(length))


if __name__ == "__main__":
    main()
