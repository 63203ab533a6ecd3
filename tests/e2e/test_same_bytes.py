# SPDX-License-Identifier: Apache-2.0
"""One path, one byte string: in every process, whatever its caches, threads and instruction set."""

import shutil

from harness.warehouse import Warehouse, s3_client, split

# Merges and row groups of several files, in little time.
SMALL_FILES = ["--chunk-bytes", "64KiB", "--schema-cache", "0ms"]
OTHER_MACHINE = ["--threads", "2", "--fetch-parallel", "1", "--cache-bytes", "1MiB"]
NO_VECTORS = {"ARROW_USER_SIMD_LEVEL": "NONE"}


def test_r4_a_second_process_on_a_copy_gives_the_same_bytes(make_topic, make_frazil):
    topic = make_topic(partitions=2)
    frazil = make_frazil(topic, extra=SMALL_FILES)
    for step in range(25):
        topic.produce_orders(range(step * 400, step * 400 + 400))
        loaded = frazil.loaded(topic.name)
    operations = {snapshot["summary"]["operation"] for snapshot in loaded["metadata"]["snapshots"]}
    assert operations == {"append", "replace"}
    digests = Warehouse(loaded).digests(loaded)
    assert len(digests) > 60
    frazil.kill()
    copy = frazil.data_dir.with_name(frazil.data_dir.name + "-copy")
    shutil.copytree(frazil.data_dir, copy)

    again = make_frazil(topic, data_dir=frazil.data_dir, extra=SMALL_FILES)
    other = make_frazil(topic, data_dir=copy, extra=SMALL_FILES + OTHER_MACHINE,
                        environment=NO_VECTORS)
    for server in (again, other):
        shown = server.loaded(topic.name)
        assert shown["metadata"] == loaded["metadata"]
        assert Warehouse(shown).digests(shown) == digests


def test_head_full_and_ranged_reads_agree(make_topic, make_frazil):
    topic = make_topic()
    topic.produce_orders(range(3000))
    loaded = make_frazil(topic).loaded(topic.name)
    warehouse = Warehouse(loaded)
    client = s3_client(loaded)
    locations = [loaded["metadata-location"], *warehouse.digests(loaded)]
    assert len(locations) > 5
    for location in locations:
        bucket, key = split(location)
        whole = warehouse.read(location)
        head = client.head_object(Bucket=bucket, Key=key)
        assert head["ContentLength"] == len(whole)
        third = len(whole) // 3
        parts = [client.get_object(Bucket=bucket, Key=key, Range=f"bytes={first}-{last}")
                 for first, last in ((0, third - 1), (third, 2 * third - 1), (2 * third, len(whole)))]
        assert b"".join(part["Body"].read() for part in parts) == whole
        assert {part["ETag"] for part in parts} == {head["ETag"]}
        tail = client.get_object(Bucket=bucket, Key=key, Range="bytes=-8")
        assert tail["Body"].read() == whole[-8:]
