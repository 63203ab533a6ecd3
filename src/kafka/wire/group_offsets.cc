// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/group_offsets.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kFindCoordinatorRequest = [](auto& codec, auto& message, std::int16_t version) {
  codec.String(message.key);
  if (version >= 1) codec.Integer(message.kind);
  codec.Tags();
};

constexpr auto kFindCoordinatorResponse = [](auto& codec, auto& message, std::int16_t version) {
  if (version >= 1) codec.Integer(message.throttle_time_ms);
  codec.Integer(message.error_code);
  if (version >= 1) codec.NullableString(message.error_message);
  codec.Integer(message.node_id);
  codec.String(message.host);
  codec.Integer(message.port);
  codec.Tags();
};

constexpr auto kOffsetCommitRequest = [](auto& codec, auto& message, std::int16_t version) {
  codec.String(message.group_id);
  codec.Integer(message.generation_id);
  codec.String(message.member_id);
  if (version >= 7) codec.NullableString(message.group_instance_id);
  // How long to keep them is the broker's choice since version 5.
  std::int64_t retention_time_ms = -1;
  if (version <= 4) codec.Integer(retention_time_ms);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec, version](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.offset);
      if (version >= 6) codec.Integer(partition.leader_epoch);
      codec.NullableString(partition.metadata);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kOffsetCommitResponse = [](auto& codec, auto& message, std::int16_t version) {
  if (version >= 3) codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.error_code);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kOffsetFetchRequest = [](auto& codec, auto& message, std::int16_t version) {
  codec.String(message.group_id);
  codec.NullableArray(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) { codec.Integer(partition); });
    codec.Tags();
  });
  if (version >= 7) codec.Boolean(message.require_stable);
  codec.Tags();
};

constexpr auto kOffsetFetchResponse = [](auto& codec, auto& message, std::int16_t version) {
  if (version >= 3) codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec, version](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.offset);
      if (version >= 5) codec.Integer(partition.leader_epoch);
      codec.NullableString(partition.metadata);
      codec.Integer(partition.error_code);
      codec.Tags();
    });
    codec.Tags();
  });
  if (version >= 2) codec.Integer(message.error_code);
  codec.Tags();
};

}  // namespace

void EncodeBody(const FindCoordinatorRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kFindCoordinatorRequest);
}

void EncodeBody(const FindCoordinatorResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kFindCoordinatorResponse);
}

void EncodeBody(const OffsetCommitRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kOffsetCommitRequest);
}

void EncodeBody(const OffsetCommitResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kOffsetCommitResponse);
}

void EncodeBody(const OffsetFetchRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kOffsetFetchRequest);
}

void EncodeBody(const OffsetFetchResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kOffsetFetchResponse);
}

Result<FindCoordinatorRequest> DecodeFindCoordinatorRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<FindCoordinatorRequest>(body, version, "FindCoordinator request",
                                               kFindCoordinatorRequest);
}

Result<FindCoordinatorResponse> DecodeFindCoordinatorResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<FindCoordinatorResponse>(body, version, "FindCoordinator response",
                                                kFindCoordinatorResponse);
}

Result<OffsetCommitRequest> DecodeOffsetCommitRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<OffsetCommitRequest>(body, version, "OffsetCommit request",
                                            kOffsetCommitRequest);
}

Result<OffsetCommitResponse> DecodeOffsetCommitResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<OffsetCommitResponse>(body, version, "OffsetCommit response",
                                             kOffsetCommitResponse);
}

Result<OffsetFetchRequest> DecodeOffsetFetchRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<OffsetFetchRequest>(body, version, "OffsetFetch request",
                                           kOffsetFetchRequest);
}

Result<OffsetFetchResponse> DecodeOffsetFetchResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<OffsetFetchResponse>(body, version, "OffsetFetch response",
                                            kOffsetFetchResponse);
}

}  // namespace frazil::kafka::wire
