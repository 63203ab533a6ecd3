#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes messages.json: bodies of protocol messages, in hexadecimal, as kafka-python encodes them.

The values are repeated in test/messages_test.cc. Needs kafka-python.
"""
import json
import pathlib
import uuid

from kafka.protocol.admin.configs import DescribeConfigsRequest, DescribeConfigsResponse
from kafka.protocol.admin.transactions import DescribeProducersRequest, DescribeProducersResponse
from kafka.protocol.consumer.fetch import FetchRequest, FetchResponse
from kafka.protocol.consumer.offsets import (ListOffsetsRequest, ListOffsetsResponse,
                                             OffsetForLeaderEpochRequest,
                                             OffsetForLeaderEpochResponse)
from kafka.protocol.metadata.api_versions import ApiVersionsRequest, ApiVersionsResponse
from kafka.protocol.metadata.metadata import MetadataRequest, MetadataResponse

TOPIC_ID = uuid.UUID("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1")


def api_versions_request(v):
    return ApiVersionsRequest(client_software_name="frazil", client_software_version="1", version=v)


def api_versions_response(v):
    R = ApiVersionsResponse
    return R(error_code=0, throttle_time_ms=5, version=v,
             api_keys=[R.ApiVersion(api_key=1, min_version=4, max_version=17),
                       R.ApiVersion(api_key=18, min_version=0, max_version=4)])


def metadata_request(v):
    R = MetadataRequest
    return R(topics=[R.MetadataRequestTopic(name="orders", topic_id=uuid.UUID(int=0))],
             allow_auto_topic_creation=False, version=v)


def metadata_response(v):
    R = MetadataResponse
    T = R.MetadataResponseTopic
    P = T.MetadataResponsePartition
    return R(throttle_time_ms=0, cluster_id="c-1", controller_id=1, version=v,
             brokers=[R.MetadataResponseBroker(node_id=1, host="broker-1", port=9092, rack=None),
                      R.MetadataResponseBroker(node_id=2, host="broker-2", port=9093, rack="r2")],
             topics=[T(error_code=0, name="orders", topic_id=TOPIC_ID, is_internal=False,
                       partitions=[
                           P(error_code=0, partition_index=0, leader_id=1, leader_epoch=7,
                             replica_nodes=[1, 2], isr_nodes=[1], offline_replicas=[2]),
                           P(error_code=5, partition_index=1, leader_id=-1, leader_epoch=3,
                             replica_nodes=[2], isr_nodes=[], offline_replicas=[])])])


def list_offsets_request(v):
    R = ListOffsetsRequest
    T = R.ListOffsetsTopic
    P = T.ListOffsetsPartition
    return R(replica_id=-1, isolation_level=1, version=v,
             topics=[T(name="orders", partitions=[
                 P(partition_index=0, current_leader_epoch=7, timestamp=-1),
                 P(partition_index=1, current_leader_epoch=-1, timestamp=-2)])])


def list_offsets_response(v):
    R = ListOffsetsResponse
    T = R.ListOffsetsTopicResponse
    P = T.ListOffsetsPartitionResponse
    return R(throttle_time_ms=1, version=v,
             topics=[T(name="orders", partitions=[
                 P(partition_index=0, error_code=0, timestamp=-1, offset=1234567890123, leader_epoch=7),
                 P(partition_index=1, error_code=6, timestamp=-1, offset=-1, leader_epoch=-1)])])


def fetch_request(v):
    R = FetchRequest
    T = R.FetchTopic
    P = T.FetchPartition
    return R(replica_id=-1, max_wait_ms=500, min_bytes=1, max_bytes=8388608, isolation_level=1,
             session_id=0, session_epoch=-1, forgotten_topics_data=[], rack_id="", version=v,
             topics=[T(topic="orders", topic_id=TOPIC_ID, partitions=[
                 P(partition=3, current_leader_epoch=7, fetch_offset=42, last_fetched_epoch=-1,
                   log_start_offset=-1, partition_max_bytes=1048576)])])


def fetch_response(v):
    R = FetchResponse
    T = R.FetchableTopicResponse
    P = T.PartitionData
    A = P.AbortedTransaction
    return R(throttle_time_ms=2, error_code=0, session_id=0, version=v,
             responses=[T(topic="orders", topic_id=TOPIC_ID, partitions=[
                 P(partition_index=3, error_code=0, high_watermark=100, last_stable_offset=90,
                   log_start_offset=10, aborted_transactions=[A(producer_id=9, first_offset=50)],
                   preferred_read_replica=-1, records=b"bytes"),
                 P(partition_index=4, error_code=1, high_watermark=-1, last_stable_offset=-1,
                   log_start_offset=-1, aborted_transactions=None, preferred_read_replica=-1,
                   records=b"")])])


def offset_for_leader_epoch_request(v):
    R = OffsetForLeaderEpochRequest
    T = R.OffsetForLeaderTopic
    P = T.OffsetForLeaderPartition
    return R(replica_id=-1, version=v,
             topics=[T(topic="orders", partitions=[
                 P(partition=2, current_leader_epoch=9, leader_epoch=7)])])


def offset_for_leader_epoch_response(v):
    R = OffsetForLeaderEpochResponse
    T = R.OffsetForLeaderTopicResult
    P = T.EpochEndOffset
    return R(throttle_time_ms=3, version=v,
             topics=[T(topic="orders", partitions=[
                 P(error_code=0, partition=2, leader_epoch=6, end_offset=1234567890123),
                 P(error_code=74, partition=3, leader_epoch=-1, end_offset=-1)])])


def describe_configs_request(v):
    R = DescribeConfigsRequest
    D = R.DescribeConfigsResource
    return R(include_synonyms=False, include_documentation=False, version=v,
             resources=[D(resource_type=2, resource_name="orders", configuration_keys=None),
                        D(resource_type=2, resource_name="t", configuration_keys=["retention.ms"])])


def describe_configs_response(v):
    R = DescribeConfigsResponse
    D = R.DescribeConfigsResult
    C = D.DescribeConfigsResourceResult
    S = C.DescribeConfigsSynonym
    return R(throttle_time_ms=4, version=v,
             results=[D(error_code=0, error_message=None, resource_type=2, resource_name="orders",
                        configs=[C(name="cleanup.policy", value="compact,delete", read_only=False,
                                   config_source=1, is_default=False, is_sensitive=False,
                                   synonyms=[S(name="log.cleanup.policy", value="delete", source=5)],
                                   config_type=7, documentation="d"),
                                 C(name="secret", value=None, read_only=True, config_source=4,
                                   is_default=False, is_sensitive=True, synonyms=[], config_type=9,
                                   documentation=None)]),
                      D(error_code=29, error_message="no", resource_type=2, resource_name="t",
                        configs=[])])


def describe_producers_request(v):
    R = DescribeProducersRequest
    T = R.TopicRequest
    return R(version=v, topics=[T(name="orders", partition_indexes=[0, 3])])


def describe_producers_response(v):
    R = DescribeProducersResponse
    T = R.TopicResponse
    P = T.PartitionResponse
    S = P.ProducerState
    return R(throttle_time_ms=5, version=v,
             topics=[T(name="orders", partitions=[
                 P(partition_index=0, error_code=0, error_message=None, active_producers=[
                     S(producer_id=4711, producer_epoch=2, last_sequence=17,
                       last_timestamp=1700000000000, coordinator_epoch=1,
                       current_txn_start_offset=42),
                     S(producer_id=4712, producer_epoch=0, last_sequence=-1, last_timestamp=-1,
                       coordinator_epoch=-1, current_txn_start_offset=-1)]),
                 P(partition_index=3, error_code=6, error_message="moved", active_producers=[])])])


RANGES = {
    api_versions_request: (0, 3), api_versions_response: (0, 3),
    metadata_request: (4, 12), metadata_response: (4, 12),
    list_offsets_request: (2, 8), list_offsets_response: (2, 8),
    fetch_request: (4, 13), fetch_response: (4, 13),
    offset_for_leader_epoch_request: (2, 4), offset_for_leader_epoch_response: (2, 4),
    describe_configs_request: (1, 4), describe_configs_response: (1, 4),
    describe_producers_request: (0, 0), describe_producers_response: (0, 0),
}


def main():
    made = {}
    for make, (first, last) in RANGES.items():
        made[make.__name__] = {str(v): bytes(make(v).encode(version=v)).hex()
                               for v in range(first, last + 1)}
    target = pathlib.Path(__file__).parent / "messages.json"
    target.write_text(json.dumps(made, indent=1) + "\n")


main()
