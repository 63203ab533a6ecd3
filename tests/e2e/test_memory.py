# SPDX-License-Identifier: Apache-2.0
"""More files are asked for at once than the memory limit holds; tests/torture/memory.py has more."""

import pytest
from harness.large_reads import MIB, PARTITIONS, SCHEMA, measure, produce

LIMIT = 128 * MIB
CHUNK = 16 * MIB


@pytest.mark.apache_only("a topic that the embedded broker's memory holds beside all others")
def test_parallel_reads_of_large_files_stay_within_the_memory_limit(make_topic, make_frazil):
    topic = make_topic(schema=SCHEMA, partitions=PARTITIONS)
    count = produce(topic, 256 * MIB)
    frazil = make_frazil(topic, extra=["--chunk-bytes", str(CHUNK), "--memory-limit", str(LIMIT),
                                       "--fetch-parallel", "8", "--threads", "32",
                                       "--load-timeout", "4min"])
    state = measure(frazil, topic.name, count, LIMIT, readers=16, stalled=2)
    assert state.faults == []
    assert frazil.process.poll() is None
    # There was something to bound.
    assert sum(file.size for file in state.files) > LIMIT
    assert frazil.metric("frazil_memory_held_bytes") <= LIMIT
