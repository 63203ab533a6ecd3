// SPDX-License-Identifier: Apache-2.0
#include "kafka/broker/requests_internal.h"

namespace frazil::kafka::broker {
namespace {

using wire::ProtocolError;

constexpr std::size_t kLongestMetadata = 4096;

ProtocolError CommitOne(const wire::OffsetCommitRequest& request, const std::string& topic,
                        const wire::OffsetCommitRequest::Partition& partition,
                        const RequestScope& scope) {
  // No group has members here: consumers are assigned their partitions by hand.
  if (request.generation_id >= 0) return ProtocolError::kUnknownMemberId;
  if (partition.metadata.value_or("").size() > kLongestMetadata) {
    return ProtocolError::kOffsetMetadataTooLarge;
  }
  const auto info = scope.state.topics.Find({topic, {}});
  if (topic.empty() || !info.has_value() || partition.index < 0 ||
      partition.index >= info->partitions) {
    return ProtocolError::kUnknownTopicOrPartition;
  }
  const bool stored =
      scope.state.groups.Commit(request.group_id, {topic, partition.index},
                                {partition.offset, partition.leader_epoch, partition.metadata});
  return stored ? ProtocolError::kNone : ProtocolError::kPolicyViolation;
}

wire::OffsetFetchResponse::Partition Committed(std::int32_t index,
                                               const std::optional<CommittedOffset>& offset) {
  // Apache Kafka says no metadata as an empty text.
  if (!offset.has_value()) return {.index = index, .metadata = ""};
  return {.index = index,
          .offset = offset->offset,
          .leader_epoch = offset->leader_epoch,
          .metadata = offset->metadata};
}

}  // namespace

wire::FindCoordinatorResponse AnswerFindCoordinator(const wire::FindCoordinatorRequest& request,
                                                    const RequestScope& scope) {
  wire::FindCoordinatorResponse response;
  if (request.kind != static_cast<std::int8_t>(wire::CoordinatorKind::kGroup)) {
    // Clients repeat what they are told by most other codes until their time is over.
    response.error_code = CodeOf(ProtocolError::kTransactionalIdAuthorizationFailed);
    response.error_message = "The embedded broker has no transactions; use Apache Kafka for them.";
    return response;
  }
  response.node_id = kNodeId;
  response.host = scope.endpoint.host;
  response.port = scope.endpoint.port;
  return response;
}

wire::OffsetCommitResponse AnswerOffsetCommit(const wire::OffsetCommitRequest& request,
                                              const RequestScope& scope) {
  wire::OffsetCommitResponse response;
  for (const auto& topic : request.topics) {
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    for (const auto& partition : topic.partitions) {
      answer.partitions.push_back(
          {partition.index, CodeOf(CommitOne(request, topic.name, partition, scope))});
    }
  }
  return response;
}

wire::OffsetFetchResponse AnswerOffsetFetch(const wire::OffsetFetchRequest& request,
                                            const RequestScope& scope) {
  wire::OffsetFetchResponse response;
  const GroupOffsets& groups = scope.state.groups;
  if (request.topics.has_value()) {
    for (const auto& topic : *request.topics) {
      auto& answer = response.topics.emplace_back();
      answer.name = topic.name;
      for (const std::int32_t index : topic.partitions) {
        answer.partitions.push_back(
            Committed(index, groups.Find(request.group_id, {topic.name, index})));
      }
    }
    return response;
  }
  for (const auto& [partition, offset] : groups.All(request.group_id)) {
    if (response.topics.empty() || response.topics.back().name != partition.topic) {
      response.topics.emplace_back().name = partition.topic;
    }
    response.topics.back().partitions.push_back(Committed(partition.partition, offset));
  }
  return response;
}

wire::InitProducerIdResponse AnswerInitProducerId(const wire::InitProducerIdRequest& request,
                                                  const RequestScope& scope) {
  wire::InitProducerIdResponse response;
  if (request.transactional_id.has_value()) {
    // There are no transactions.
    response.error_code = CodeOf(ProtocolError::kTransactionalIdAuthorizationFailed);
    return response;
  }
  response.producer_id = scope.state.next_producer_id++;
  response.producer_epoch = 0;
  return response;
}

}  // namespace frazil::kafka::broker
