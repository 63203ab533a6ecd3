#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes fuzz/corpus/http_request: a first byte that says how the rest is cut, then requests."""

import pathlib

HOST = b"Host: h\r\n"
INPUTS = {
    "get": b"GET /a%20b?x=1&y=%2F HTTP/1.1\r\n" + HOST + b"\r\n",
    "put": b"PUT /k HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello",
    "chunked": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
    b"3;n=v;q=\"x\"\r\nabc\r\n0\r\nT: v\r\n\r\n",
    "pipeline": (b"GET /1 HTTP/1.1\r\n" + HOST + b"\r\n") * 3 + b"\r\nHEAD /2 HTTP/1.0\r\n\r\n",
    "absolute": b"GET http://h:80/a?b=%zz HTTP/1.1\r\n" + HOST + b"\r\n",
    "expect": b"PUT / HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
    "two_lengths": b"POST / HTTP/1.1\r\n" + HOST
    + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "length_and_chunked": b"POST / HTTP/1.1\r\n" + HOST
    + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "folded": b"GET / HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n",
    "bare_line_feed": b"GET / HTTP/1.1\nHost: h\n\n",
    "tls": b"\x16\x03\x01\x02\x00",
    "http2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


def main() -> None:
    folder = pathlib.Path(__file__).parent / "corpus" / "http_request"
    folder.mkdir(parents=True, exist_ok=True)
    for step, (name, text) in enumerate(INPUTS.items()):
        (folder / name).write_bytes(bytes([step]) + text)


if __name__ == "__main__":
    main()
