# SPDX-License-Identifier: Apache-2.0
"""Writes sigv4_botocore.json: requests signed by botocore at a fixed time."""

import datetime
import json
import sys
import urllib.parse

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

NOW = datetime.datetime(2026, 11, 30, 12, 34, 56, tzinfo=datetime.timezone.utc)
CREDENTIALS = Credentials("FZ1KEYOFATEST", "secret/with+signs", "token/of+the=session")
PLAIN = Credentials("FZ1KEYOFATEST", "secret/with+signs")


def sign(name, signer, method, url, headers=(), body=""):
    request = AWSRequest(method=method, url=url, headers=dict(headers), data=body)
    request.context["payload_signing_enabled"] = True
    signer.add_auth(request)
    wire = request.prepare()
    parts = urllib.parse.urlsplit(wire.url)
    sent = [[key, value.decode() if isinstance(value, bytes) else value]
            for key, value in wire.headers.items()]
    if not any(key.lower() == "host" for key, _ in sent):
        sent.insert(0, ["Host", parts.netloc])
    return {
        "name": name,
        "now": int(NOW.timestamp()),
        "access_key_id": signer.credentials.access_key,
        "secret_access_key": signer.credentials.secret_key,
        "session_token": signer.credentials.token or "",
        "method": method,
        "raw_path": parts.path,
        "raw_query": parts.query,
        "headers": sent,
        "body": body,
    }


def header_signer(region="us-east-1", credentials=CREDENTIALS):
    return botocore.auth.S3SigV4Auth(credentials, "s3", region)


def query_signer(expires=3600):
    return botocore.auth.S3SigV4QueryAuth(CREDENTIALS, "s3", "eu-north-1", expires=expires)


def vectors():
    base = "http://127.0.0.1:8182/frazil"
    key = base + "/speed/orders/8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1"
    quoted = urllib.parse.quote("/data/a b+c=d%e/é~.parquet", safe="/~")
    yield sign("plain get", header_signer(), "GET", key + "/data/0.parquet")
    yield sign("head", header_signer(), "HEAD", key + "/data/0.parquet")
    yield sign("no session token", header_signer(credentials=PLAIN), "GET", key + "/x")
    yield sign("other region", header_signer("eu-north-1"), "GET", key + "/x")
    yield sign("range", header_signer(), "GET", key + "/x", {"Range": "bytes=-8"})
    yield sign("special characters", header_signer(), "GET", key + quoted)
    yield sign("double slashes and dots", header_signer(), "GET", key + "//a/../b/./c")
    yield sign("spaces in a header", header_signer(), "GET", key + "/x",
               {"x-amz-meta-a": "  two   words  "})
    yield sign("list", header_signer(), "GET",
               base + "?list-type=2&prefix=speed%2Forders%2F&delimiter=%2F&max-keys=10")
    yield sign("query without value", header_signer(), "GET", base + "?location")
    yield sign("query in another order", header_signer(), "GET",
               base + "?prefix=b%20c&Prefix=x&list-type=2&a=2&a=1&encoding-type=url")
    yield sign("body", header_signer(), "PUT", key + "/x", body="some bytes")
    yield sign("virtual host", header_signer(), "GET", "http://frazil.example:8182/speed/a/b/c")
    yield sign("presigned", query_signer(), "GET", key + "/data/0.parquet")
    yield sign("presigned special characters", query_signer(), "GET", key + quoted)
    yield sign("presigned with a query", query_signer(60), "GET",
               base + "?list-type=2&prefix=a%2Bb%20c")


def main():
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True: (
        NOW.replace(tzinfo=None) if remove_tzinfo else NOW)
    json.dump(list(vectors()), sys.stdout, indent=1, ensure_ascii=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
