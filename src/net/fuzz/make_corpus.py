#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes fuzz/corpus/http_request and http_response: a first byte that says how the rest is cut (and
for answers, by its bits 16 and 32, that HEAD was asked and that the server closes), then messages."""

import pathlib

HOST = b"Host: h\r\n"
REQUESTS = {
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

HEAD = 16
CLOSES = 32
OK = b"HTTP/1.1 200 OK\r\n"
RESPONSES = {
    "length": (0, OK + b"Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}"),
    "chunked": (3, OK + b"Transfer-Encoding: chunked\r\n\r\n"
                b"3;n=v;q=\"x\"\r\nabc\r\n0\r\nT: v\r\n\r\n"),
    "until_close": (CLOSES + 2, OK + b"\r\n" + b"abc" * 90),
    "http10": (CLOSES, b"HTTP/1.0 404 Not Found\r\n\r\n{}"),
    "head": (HEAD + 4, OK + b"Content-Length: 2000000\r\n\r\n"),
    "head_chunked": (HEAD, OK + b"Transfer-Encoding: chunked\r\n\r\n"),
    "no_content": (1, b"HTTP/1.1 204 No Content\r\n\r\n"),
    "not_modified": (1, b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
    "interim": (5, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + OK
                + b"Content-Length: 1\r\n\r\na"),
    "switching": (0, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
    "behind": (7, (OK + b"Content-Length: 2\r\n\r\nab") * 2),
    "close": (6, OK + b"Connection: close\r\nContent-Length: 0\r\n\r\n"),
    "cut_short": (CLOSES + 8, OK + b"Content-Length: 5\r\n\r\nabc"),
    "cut_chunk": (CLOSES, OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab"),
    "long_length": (0, OK + b"Content-Length: 99999999999999999999\r\n\r\n"),
    "long_chunk": (0, OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc"),
    "two_lengths": (0, OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    "length_and_chunked": (0, OK + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
                           b"0\r\n\r\n"),
    "folded": (0, OK + b"X: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
    "bare_line_feed": (0, b"HTTP/1.1 200 OK\nContent-Length: 0\n\n"),
    "bad_status": (0, b"HTTP/1.1 20x OK\r\n\r\n"),
    "many_headers": (15, OK + b"A: b\r\n" * 20 + b"Content-Length: 0\r\n\r\n"),
    "tls": (CLOSES, b"\x15\x03\x01\x00\x02\x02\x46"),
}


def write(name: str, inputs: dict[str, bytes]) -> None:
    folder = pathlib.Path(__file__).parent / "corpus" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in inputs.items():
        (folder / file).write_bytes(content)


def main() -> None:
    write("http_request", {name: bytes([step]) + text
                           for step, (name, text) in enumerate(REQUESTS.items())})
    write("http_response", {name: bytes([manner]) + text
                            for name, (manner, text) in RESPONSES.items()})


if __name__ == "__main__":
    main()
