// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <variant>

#include "kafka/broker/requests_internal.h"

namespace frazil::kafka::broker {
namespace {

using wire::ProtocolError;

// DescribeConfigs, "config_source".
constexpr std::int8_t kSetOnTopic = 1;
constexpr std::int8_t kDefault = 5;
// DescribeConfigs, "config_type".
constexpr std::int8_t kStringType = 2;

wire::MetadataResponse::Topic DescribeTopic(const TopicInfo& info) {
  wire::MetadataResponse::Topic topic;
  topic.name = info.name;
  topic.id = info.id;
  for (std::int32_t index = 0; index < info.partitions; ++index) {
    topic.partitions.push_back({.index = index,
                                .leader_id = kNodeId,
                                .leader_epoch = kLeaderEpoch,
                                .replicas = {kNodeId},
                                .in_sync_replicas = {kNodeId},
                                .offline_replicas = {}});
  }
  return topic;
}

wire::MetadataResponse::Topic FindOrCreate(const wire::MetadataRequest::Topic& asked,
                                           bool may_create, const RequestScope& scope) {
  const TopicKey key{asked.name.value_or(""), asked.id};
  if (const auto info = scope.state.topics.Find(key); info.has_value()) return DescribeTopic(*info);
  wire::MetadataResponse::Topic topic;
  topic.name = asked.name;
  topic.id = asked.id;
  if (!asked.name.has_value()) {
    topic.error_code = CodeOf(ProtocolError::kUnknownTopicId);
    return topic;
  }
  if (!may_create) {
    topic.error_code = CodeOf(ProtocolError::kUnknownTopicOrPartition);
    return topic;
  }
  const auto created = scope.state.topics.Create(
      *asked.name, scope.state.options.default_partitions, TopicSettings(), false);
  if (const auto* info = std::get_if<TopicInfo>(&created)) return DescribeTopic(*info);
  // Somebody else may have created it meanwhile.
  if (const auto info = scope.state.topics.Find(key); info.has_value()) return DescribeTopic(*info);
  topic.error_code = CodeOf(std::get<Refusal>(created).code);
  return topic;
}

std::optional<Refusal> CheckAssignment(const std::vector<std::int32_t>& brokers) {
  if (brokers == std::vector{kNodeId}) return std::nullopt;
  return Refusal{ProtocolError::kInvalidReplicaAssignment,
                 "The embedded broker is the only one; its id is 1."};
}

// How many partitions the request asks for.
std::variant<std::int32_t, Refusal> CountPartitions(const wire::CreateTopicsRequest::Topic& topic,
                                                    std::int32_t default_partitions) {
  if (topic.assignments.empty()) {
    if (topic.replication_factor != -1 && topic.replication_factor != 1) {
      return Refusal{ProtocolError::kInvalidReplicationFactor,
                     "The embedded broker is the only one, so the replication factor must be 1."};
    }
    if (topic.partitions == -1) return default_partitions;
    if (topic.partitions >= 1) return topic.partitions;
    return Refusal{ProtocolError::kInvalidPartitions, "A topic needs at least one partition."};
  }
  if (topic.partitions != -1 || topic.replication_factor != -1) {
    return Refusal{ProtocolError::kInvalidRequest,
                   "Either numbers or an assignment of partitions may be given, not both."};
  }
  std::set<std::int32_t> partitions;
  for (const auto& assignment : topic.assignments) {
    if (auto refusal = CheckAssignment(assignment.brokers); refusal) return *std::move(refusal);
    partitions.insert(assignment.partition);
  }
  const auto count = static_cast<std::int32_t>(topic.assignments.size());
  if (static_cast<std::int32_t>(partitions.size()) == count && *partitions.begin() == 0 &&
      *partitions.rbegin() == count - 1) {
    return count;
  }
  return Refusal{ProtocolError::kInvalidReplicaAssignment,
                 "The assigned partitions must count from 0 without holes."};
}

std::vector<wire::CreateTopicsResponse::Config> CreatedSettings(const TopicSettings& settings) {
  std::vector<wire::CreateTopicsResponse::Config> configs;
  for (const DescribedSetting& setting : DescribeSettings(settings)) {
    configs.push_back({.name = std::string(setting.name),
                       .value = setting.value,
                       .source = setting.given ? kSetOnTopic : kDefault});
  }
  return configs;
}

std::variant<TopicInfo, Refusal> CreateOne(const wire::CreateTopicsRequest::Topic& topic,
                                           bool validate_only, const RequestScope& scope) {
  const auto partitions = CountPartitions(topic, scope.state.options.default_partitions);
  if (const auto* refusal = std::get_if<Refusal>(&partitions)) return *refusal;
  TopicSettings settings;
  for (const auto& config : topic.configs) {
    if (auto problem = ApplySetting(config.name, config.value, settings); problem.has_value()) {
      return Refusal{ProtocolError::kInvalidConfig, *std::move(problem)};
    }
  }
  return scope.state.topics.Create(topic.name, std::get<std::int32_t>(partitions), settings,
                                   validate_only);
}

wire::DescribeConfigsResponse::Resource DescribeOne(
    const wire::DescribeConfigsRequest::Resource& asked, bool include_synonyms,
    const RequestScope& scope) {
  wire::DescribeConfigsResponse::Resource resource;
  resource.type = asked.type;
  resource.name = asked.name;
  if (asked.type != wire::kTopicResource) {
    resource.error_code = CodeOf(ProtocolError::kInvalidRequest);
    resource.error_message = "The embedded broker tells the settings of topics only.";
    return resource;
  }
  const auto info = scope.state.topics.Find({asked.name, {}});
  if (asked.name.empty() || !info.has_value()) {
    resource.error_code = CodeOf(ProtocolError::kUnknownTopicOrPartition);
    return resource;
  }
  for (const DescribedSetting& setting : DescribeSettings(info->settings)) {
    if (asked.keys.has_value() && std::ranges::find(*asked.keys, setting.name) == asked.keys->end())
      continue;
    auto& config = resource.configs.emplace_back();
    config.name = setting.name;
    config.value = setting.value;
    config.source = setting.given ? kSetOnTopic : kDefault;
    config.type = kStringType;
    if (include_synonyms) {
      config.synonyms.push_back({config.name, config.value, config.source});
    }
  }
  return resource;
}

}  // namespace

wire::MetadataResponse AnswerMetadata(const wire::MetadataRequest& request,
                                      const RequestScope& scope) {
  wire::MetadataResponse response;
  response.brokers.push_back({kNodeId, scope.endpoint.host, scope.endpoint.port, std::nullopt});
  response.cluster_id = scope.state.cluster_id;
  response.controller_id = kNodeId;
  if (!request.topics.has_value()) {
    for (const TopicInfo& info : scope.state.topics.List()) {
      response.topics.push_back(DescribeTopic(info));
    }
    return response;
  }
  const bool may_create =
      request.allow_auto_topic_creation && scope.state.options.auto_create_topics;
  for (const auto& asked : *request.topics) {
    response.topics.push_back(FindOrCreate(asked, may_create, scope));
  }
  return response;
}

wire::CreateTopicsResponse AnswerCreateTopics(const wire::CreateTopicsRequest& request,
                                              const RequestScope& scope) {
  wire::CreateTopicsResponse response;
  for (const auto& topic : request.topics) {
    const auto created = CreateOne(topic, request.validate_only, scope);
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    if (const auto* refusal = std::get_if<Refusal>(&created)) {
      answer.error_code = CodeOf(refusal->code);
      answer.error_message = refusal->message;
      continue;
    }
    const auto& info = std::get<TopicInfo>(created);
    answer.id = info.id;
    answer.partitions = info.partitions;
    answer.replication_factor = 1;
    answer.configs = CreatedSettings(info.settings);
  }
  return response;
}

wire::DeleteTopicsResponse AnswerDeleteTopics(const wire::DeleteTopicsRequest& request,
                                              const RequestScope& scope) {
  wire::DeleteTopicsResponse response;
  for (const auto& topic : request.topics) {
    const auto deleted = scope.state.topics.Delete({topic.name.value_or(""), topic.id});
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    answer.id = topic.id;
    if (const auto* refusal = std::get_if<Refusal>(&deleted)) {
      answer.error_code = CodeOf(refusal->code);
      answer.error_message = refusal->message;
      continue;
    }
    answer.name = std::get<TopicInfo>(deleted).name;
    answer.id = std::get<TopicInfo>(deleted).id;
  }
  return response;
}

wire::CreatePartitionsResponse AnswerCreatePartitions(const wire::CreatePartitionsRequest& request,
                                                      const RequestScope& scope) {
  wire::CreatePartitionsResponse response;
  for (const auto& topic : request.topics) {
    std::optional<Refusal> refusal;
    const auto none = std::vector<wire::CreatePartitionsRequest::Assignment>();
    for (const auto& assignment : topic.assignments.value_or(none)) {
      if (!refusal.has_value()) refusal = CheckAssignment(assignment.brokers);
    }
    if (!refusal.has_value()) {
      refusal = scope.state.topics.AddPartitions(topic.name, topic.count, request.validate_only);
    }
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    if (!refusal.has_value()) continue;
    answer.error_code = CodeOf(refusal->code);
    answer.error_message = refusal->message;
  }
  return response;
}

wire::DeleteRecordsResponse AnswerDeleteRecords(const wire::DeleteRecordsRequest& request,
                                                const RequestScope& scope) {
  wire::DeleteRecordsResponse response;
  for (const auto& topic : request.topics) {
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    for (const auto& partition : topic.partitions) {
      const auto start =
          scope.state.topics.DeleteRecords(topic.name, partition.index, partition.offset);
      auto& place = answer.partitions.emplace_back();
      place.index = partition.index;
      if (const auto* refusal = std::get_if<Refusal>(&start)) {
        place.error_code = CodeOf(refusal->code);
      } else {
        place.low_watermark = std::get<std::int64_t>(start);
      }
    }
  }
  return response;
}

wire::DescribeConfigsResponse AnswerDescribeConfigs(const wire::DescribeConfigsRequest& request,
                                                    const RequestScope& scope) {
  wire::DescribeConfigsResponse response;
  for (const auto& asked : request.resources) {
    response.resources.push_back(DescribeOne(asked, request.include_synonyms, scope));
  }
  return response;
}

}  // namespace frazil::kafka::broker
