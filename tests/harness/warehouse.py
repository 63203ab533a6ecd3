# SPDX-License-Identifier: Apache-2.0
"""Every object of a table, walked from its metadata with boto3 and fastavro, byte for byte."""

import hashlib
import io
import json
import urllib.parse

import boto3
import botocore.config
import fastavro


def s3_client(loaded, **overrides):
    """A client with the credentials that LoadTable handed out."""
    config = dict(loaded["config"])
    for credential in loaded.get("storage-credentials") or []:
        config.update(credential["config"])
    settings = {
        "endpoint_url": config["s3.endpoint"],
        "aws_access_key_id": config["s3.access-key-id"],
        "aws_secret_access_key": config["s3.secret-access-key"],
        "aws_session_token": config.get("s3.session-token"),
        "region_name": config.get("client.region") or config["s3.region"],
        "config": botocore.config.Config(s3={"addressing_style": "path"},
                                         retries={"max_attempts": 1}),
    }
    return boto3.client("s3", **{**settings, **overrides})


def split(location):
    parts = urllib.parse.urlsplit(location)
    return parts.netloc, parts.path.lstrip("/")


class Warehouse:
    def __init__(self, loaded):
        self._client = s3_client(loaded)

    def read(self, location):
        bucket, key = split(location)
        return self._client.get_object(Bucket=bucket, Key=key)["Body"].read()

    def snapshot_objects(self, snapshot):
        """location -> bytes of manifest list, manifests and data files of one snapshot."""
        objects = {}

        def take(location):
            if location not in objects:
                objects[location] = self.read(location)
            return objects[location]

        for manifest in fastavro.reader(io.BytesIO(take(snapshot["manifest-list"]))):
            for entry in fastavro.reader(io.BytesIO(take(manifest["manifest_path"]))):
                if entry["status"] != 2:
                    take(entry["data_file"]["file_path"])
        return objects

    def digests(self, loaded):
        """location -> SHA-256 of everything that a loaded table and its snapshots name."""
        found = {loaded["metadata-location"]: self.read(loaded["metadata-location"])}
        for snapshot in loaded["metadata"]["snapshots"]:
            found.update(self.snapshot_objects(snapshot))
        return {location: hashlib.sha256(content).hexdigest() for location, content in found.items()}

    def metadata(self, location):
        return json.loads(self.read(location))
