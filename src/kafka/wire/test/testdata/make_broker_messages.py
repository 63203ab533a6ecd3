#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes broker_messages.json: bodies of the messages that only the embedded broker answers, in
hexadecimal, as kafka-python encodes them.

The values are repeated in test/broker_messages_test.cc. Needs kafka-python.
"""
import json
import pathlib
import uuid

from kafka.protocol.admin.topics import (
    CreatePartitionsRequest, CreatePartitionsResponse, CreateTopicsRequest, CreateTopicsResponse,
    DeleteRecordsRequest, DeleteRecordsResponse, DeleteTopicsRequest, DeleteTopicsResponse)
from kafka.protocol.consumer.group import (
    OffsetCommitRequest, OffsetCommitResponse, OffsetFetchRequest, OffsetFetchResponse)
from kafka.protocol.metadata.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from kafka.protocol.producer.produce import ProduceRequest, ProduceResponse
from kafka.protocol.producer.transaction import InitProducerIdRequest, InitProducerIdResponse

TOPIC_ID = uuid.UUID("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1")


def produce_request(v):
    R = ProduceRequest
    T = R.TopicProduceData
    P = T.PartitionProduceData
    return R(transactional_id="tx" if v >= 3 else None, acks=-1, timeout_ms=30000, version=v,
             topic_data=[T(name="orders", partition_data=[P(index=3, records=b"bytes"),
                                                          P(index=4, records=None)])])


def produce_response(v):
    R = ProduceResponse
    T = R.TopicProduceResponse
    P = T.PartitionProduceResponse
    E = P.BatchIndexAndErrorMessage
    return R(throttle_time_ms=3, version=v, responses=[T(name="orders", partition_responses=[
        P(index=3, error_code=0, base_offset=41, log_append_time_ms=-1, log_start_offset=7,
          record_errors=[], error_message=None),
        P(index=4, error_code=87, base_offset=-1, log_append_time_ms=-1, log_start_offset=-1,
          record_errors=[E(batch_index=1, batch_index_error_message="no")],
          error_message="broken")])])


def init_producer_id_request(v):
    return InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60000, producer_id=9,
                                 producer_epoch=2, version=v)


def init_producer_id_response(v):
    return InitProducerIdResponse(throttle_time_ms=1, error_code=0, producer_id=4711,
                                  producer_epoch=3, version=v)


def create_topics_request(v):
    R = CreateTopicsRequest
    T = R.CreatableTopic
    A = T.CreatableReplicaAssignment
    C = T.CreatableTopicConfig
    return R(timeout_ms=30000, validate_only=True, version=v, topics=[
        T(name="orders", num_partitions=3, replication_factor=1, assignments=[],
          configs=[C(name="retention.ms", value="1000"), C(name="x", value=None)]),
        T(name="placed", num_partitions=-1, replication_factor=-1,
          assignments=[A(partition_index=0, broker_ids=[1, 2])], configs=[])])


def create_topics_response(v):
    R = CreateTopicsResponse
    T = R.CreatableTopicResult
    C = T.CreatableTopicConfigs
    return R(throttle_time_ms=2, version=v, topics=[
        T(name="orders", topic_id=TOPIC_ID, error_code=0, error_message=None, num_partitions=3,
          replication_factor=1,
          configs=[C(name="retention.ms", value="1000", read_only=False, config_source=1,
                     is_sensitive=False)]),
        T(name="placed", topic_id=uuid.UUID(int=0), error_code=39, error_message="no",
          num_partitions=-1, replication_factor=-1, configs=None)])


def delete_topics_request(v):
    if v < 6:
        return DeleteTopicsRequest(topic_names=["orders", "placed"], timeout_ms=9, version=v)
    T = DeleteTopicsRequest.DeleteTopicState
    return DeleteTopicsRequest(timeout_ms=9, version=v, topics=[
        T(name="orders", topic_id=uuid.UUID(int=0)), T(name="placed", topic_id=TOPIC_ID)])


def delete_topics_response(v):
    T = DeleteTopicsResponse.DeletableTopicResult
    return DeleteTopicsResponse(throttle_time_ms=2, version=v, responses=[
        T(name="orders", topic_id=TOPIC_ID, error_code=0, error_message=None),
        T(name="placed", topic_id=uuid.UUID(int=0), error_code=3, error_message="no")])


def create_partitions_request(v):
    T = CreatePartitionsRequest.CreatePartitionsTopic
    A = T.CreatePartitionsAssignment
    return CreatePartitionsRequest(timeout_ms=9, validate_only=False, version=v, topics=[
        T(name="orders", count=5, assignments=None),
        T(name="placed", count=2, assignments=[A(broker_ids=[1])])])


def create_partitions_response(v):
    T = CreatePartitionsResponse.CreatePartitionsTopicResult
    return CreatePartitionsResponse(throttle_time_ms=2, version=v, results=[
        T(name="orders", error_code=0, error_message=None),
        T(name="placed", error_code=37, error_message="no")])


def delete_records_request(v):
    T = DeleteRecordsRequest.DeleteRecordsTopic
    P = T.DeleteRecordsPartition
    return DeleteRecordsRequest(timeout_ms=9, version=v, topics=[
        T(name="orders", partitions=[P(partition_index=1, offset=1234567890123),
                                     P(partition_index=2, offset=-1)])])


def delete_records_response(v):
    T = DeleteRecordsResponse.DeleteRecordsTopicResult
    P = T.DeleteRecordsPartitionResult
    return DeleteRecordsResponse(throttle_time_ms=2, version=v, topics=[
        T(name="orders", partitions=[P(partition_index=1, low_watermark=77, error_code=0)])])


def find_coordinator_request(v):
    return FindCoordinatorRequest(key="g", key_type=1, version=v)


def find_coordinator_response(v):
    return FindCoordinatorResponse(throttle_time_ms=2, error_code=0, error_message="none",
                                   node_id=1, host="broker", port=9092, version=v)


def offset_commit_request(v):
    T = OffsetCommitRequest.OffsetCommitRequestTopic
    P = T.OffsetCommitRequestPartition
    return OffsetCommitRequest(
        group_id="g", generation_id_or_member_epoch=-1, member_id="", group_instance_id=None,
        retention_time_ms=-1, version=v, topics=[T(name="orders", partitions=[
            P(partition_index=1, committed_offset=50, committed_leader_epoch=4,
              committed_metadata="m"),
            P(partition_index=2, committed_offset=60, committed_leader_epoch=-1,
              committed_metadata=None)])])


def offset_commit_response(v):
    T = OffsetCommitResponse.OffsetCommitResponseTopic
    P = T.OffsetCommitResponsePartition
    return OffsetCommitResponse(throttle_time_ms=2, version=v, topics=[
        T(name="orders", partitions=[P(partition_index=1, error_code=3)])])


def offset_fetch_request(v):
    T = OffsetFetchRequest.OffsetFetchRequestTopic
    return OffsetFetchRequest(group_id="g", require_stable=True, version=v,
                              topics=[T(name="orders", partition_indexes=[1, 2])])


def offset_fetch_response(v):
    T = OffsetFetchResponse.OffsetFetchResponseTopic
    P = T.OffsetFetchResponsePartition
    return OffsetFetchResponse(throttle_time_ms=2, error_code=0, version=v, topics=[
        T(name="orders", partitions=[
            P(partition_index=1, committed_offset=50, committed_leader_epoch=4, metadata="m",
              error_code=0),
            P(partition_index=2, committed_offset=-1, committed_leader_epoch=-1, metadata=None,
              error_code=0)])])


RANGES = {
    produce_request: (0, 9), produce_response: (0, 9),
    init_producer_id_request: (0, 4), init_producer_id_response: (0, 4),
    create_topics_request: (2, 7), create_topics_response: (2, 7),
    delete_topics_request: (1, 6), delete_topics_response: (1, 6),
    create_partitions_request: (0, 3), create_partitions_response: (0, 3),
    delete_records_request: (0, 2), delete_records_response: (0, 2),
    find_coordinator_request: (0, 3), find_coordinator_response: (0, 3),
    offset_commit_request: (2, 8), offset_commit_response: (2, 8),
    offset_fetch_request: (1, 7), offset_fetch_response: (1, 7),
}


def main():
    made = {}
    for make, (first, last) in RANGES.items():
        made[make.__name__] = {str(v): bytes(make(v).encode(version=v)).hex()
                               for v in range(first, last + 1)}
    target = pathlib.Path(__file__).parent / "broker_messages.json"
    target.write_text(json.dumps(made, indent=1) + "\n")


main()
