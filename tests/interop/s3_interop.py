# SPDX-License-Identifier: Apache-2.0
"""Reads one object of a running Frazil through clients that are not ours, and compares the bytes.

  python3 s3_interop.py URL ACCESS SECRET TOKEN BUCKET KEY EXPECTED_SHA256

URL is the S3 endpoint ("http://127.0.0.1:8182"), the keys are those that the catalog gives with the
table, KEY is the object's key below BUCKET, EXPECTED_SHA256 the hash of all of its bytes ("-": not
known; then the clients are only held against each other). Needs boto3 and pyarrow.
"""

import hashlib
import posixpath
import sys
import urllib.error
import urllib.request

import boto3
import botocore.config
import botocore.exceptions
from pyarrow import fs

REGION = "eu-north-1"  # any region is taken


class Object:
    def __init__(self, url, access, secret, token, bucket, key):
        self.url, self.bucket, self.key = url.rstrip("/"), bucket, key
        self.keys = {"access": access, "secret": secret, "token": token}

    def boto(self, secret=None, style="path", token=None):
        return boto3.client(
            "s3", endpoint_url=self.url, region_name=REGION,
            aws_access_key_id=self.keys["access"],
            aws_secret_access_key=secret or self.keys["secret"],
            aws_session_token=token or self.keys["token"],
            config=botocore.config.Config(signature_version="s3v4", retries={"max_attempts": 0},
                                          s3={"addressing_style": style}))

    def arrow(self):
        scheme, _, host = self.url.partition("://")
        return fs.S3FileSystem(
            access_key=self.keys["access"], secret_key=self.keys["secret"],
            session_token=self.keys["token"], endpoint_override=host, scheme=scheme,
            region=REGION)


def expect(what, got, wanted):
    if got != wanted:
        raise SystemExit(f"{what}: got {got!r}, expected {wanted!r}")
    print(f"ok  {what}")


def expect_refusal(what, call, status, code):
    try:
        call()
    except botocore.exceptions.ClientError as error:
        answer = error.response
        expect(what, (answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]),
               (status, code))
        return
    raise SystemExit(f"{what}: was not refused")


def ranges_of(size):
    """Range headers, each with the slice that it stands for."""
    yield "bytes=0-3", slice(0, 4)
    yield "bytes=-8", slice(max(size - 8, 0), size)
    yield f"bytes={size // 2}-", slice(size // 2, size)
    yield f"bytes={size - 1}-{size + 99}", slice(size - 1, size)
    yield "bytes=0-0", slice(0, 1)


def check_boto(target, expected_hash):
    client, place = target.boto(), {"Bucket": target.bucket, "Key": target.key}
    whole = client.get_object(**place)
    data = whole["Body"].read()
    digest = hashlib.sha256(data).hexdigest()
    expect("boto3 whole object", digest, digest if expected_hash == "-" else expected_hash)
    head = client.head_object(**place)
    expect("boto3 HEAD length", head["ContentLength"], len(data))
    expect("boto3 HEAD tag and date", (head["ETag"], head["LastModified"]),
           (whole["ETag"], whole["LastModified"]))
    for header, part in ranges_of(len(data)):
        got = client.get_object(**place, Range=header)
        expect(f"boto3 {header}", (got["ResponseMetadata"]["HTTPStatusCode"], got["Body"].read()),
               (206, data[part]))
    expect_refusal("boto3 range past the end",
                   lambda: client.get_object(**place, Range=f"bytes={len(data)}-"),
                   416, "InvalidRange")
    expect_refusal("boto3 If-None-Match",
                   lambda: client.get_object(**place, IfNoneMatch=whole["ETag"]), 304, "304")
    return data


def check_listing(target, size):
    client = target.boto()
    folder = posixpath.dirname(target.key) + "/"
    found, pages = {}, client.get_paginator("list_objects_v2").paginate(
        Bucket=target.bucket, Prefix=folder, PaginationConfig={"PageSize": 1})
    for page in pages:
        for entry in page.get("Contents", []):
            found[entry["Key"]] = (entry["Size"], entry["ETag"])
    if target.key in found:  # an older state's file is readable but no longer listed
        tag = client.head_object(Bucket=target.bucket, Key=target.key)["ETag"]
        expect("boto3 listing", found[target.key], (size, tag))
    client.head_bucket(Bucket=target.bucket)
    client.get_bucket_location(Bucket=target.bucket)


def check_refusals(target):
    place = {"Bucket": target.bucket, "Key": target.key}
    client = target.boto()
    expect_refusal("wrong secret", lambda: target.boto(secret="x").get_object(**place),
                   403, "SignatureDoesNotMatch")
    expect_refusal("wrong token", lambda: target.boto(token="x").get_object(**place),
                   403, "AccessDenied")
    expect_refusal("PUT", lambda: client.put_object(**place, Body=b"some bytes"),
                   403, "AccessDenied")
    expect_refusal("DELETE", lambda: client.delete_object(**place), 403, "AccessDenied")
    expect_refusal("missing object",
                   lambda: client.get_object(Bucket=target.bucket, Key=target.key + ".missing"),
                   404, "NoSuchKey")
    expect_refusal("foreign path",
                   lambda: client.get_object(Bucket=target.bucket, Key="speed/other/x/y"),
                   403, "AccessDenied")
    expect_refusal("other bucket", lambda: client.get_object(Bucket="other", Key="x"),
                   404, "NoSuchBucket")


def check_arrow(target, data):
    system, path = target.arrow(), f"{target.bucket}/{target.key}"
    info = system.get_file_info(path)
    expect("pyarrow HEAD", (info.type, info.size), (fs.FileType.File, len(data)))
    with system.open_input_stream(path, compression=None) as stream:
        expect("pyarrow whole object", stream.read() == data, True)
    with system.open_input_file(path) as file:
        expect("pyarrow size", file.size(), len(data))
        for header, part in ranges_of(len(data)):
            wanted = data[part]
            expect(f"pyarrow {header}", file.read_at(len(wanted), part.start), wanted)
    folder = posixpath.dirname(path)
    if system.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
        expect("pyarrow folder", system.get_file_info(folder).type, fs.FileType.Directory)


def check_presigned(target, data):
    url = target.boto().generate_presigned_url(
        "get_object", Params={"Bucket": target.bucket, "Key": target.key}, ExpiresIn=60)
    with urllib.request.urlopen(url) as answer:
        expect("presigned URL", answer.read() == data, True)
    part = urllib.request.Request(url, headers={"Range": "bytes=-8"})
    with urllib.request.urlopen(part) as answer:
        expect("presigned URL, range", (answer.status, answer.read()), (206, data[-8:]))
    for what, broken in (("changed", url.replace("X-Amz-Expires=60", "X-Amz-Expires=61")),
                         ("unsigned", url.partition("?")[0])):
        try:
            urllib.request.urlopen(broken)
        except urllib.error.HTTPError as error:
            expect(f"presigned URL, {what}", error.code, 403)
        else:
            raise SystemExit(f"presigned URL, {what}: was not refused")


def main():
    if len(sys.argv) != 8:
        raise SystemExit(__doc__)
    *place, expected_hash = sys.argv[1:]
    target = Object(*place)
    data = check_boto(target, expected_hash)
    check_listing(target, len(data))
    check_refusals(target)
    check_arrow(target, data)
    check_presigned(target, data)
    print("all is well")


if __name__ == "__main__":
    main()
