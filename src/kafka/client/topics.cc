// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "kafka/client/topics_internal.h"
#include "kafka/wire/describe_configs.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

using wire::ProtocolError;

bool IsDenial(std::int16_t code) {
  return code == static_cast<std::int16_t>(ProtocolError::kTopicAuthorizationFailed) ||
         code == static_cast<std::int16_t>(ProtocolError::kClusterAuthorizationFailed);
}

// Whether there is no such topic, or none any more.
bool IsUnknownTopic(std::int16_t code) {
  return code == static_cast<std::int16_t>(ProtocolError::kUnknownTopicOrPartition) ||
         code == static_cast<std::int16_t>(ProtocolError::kUnknownTopicId) ||
         code == static_cast<std::int16_t>(ProtocolError::kInvalidTopic);
}

Error TopicError(std::int16_t code, const std::string& doing, const std::string& topic,
                 const BrokerAddress& address) {
  const bool passing = wire::IsRetriable(code) ||
                       code == static_cast<std::int16_t>(ProtocolError::kUnknownServerError);
  return Error(passing ? ErrorCode::kKafkaUnavailable : ErrorCode::kKafkaProtocol,
               doing + ": " + wire::DescribeProtocolError(code) + " from Kafka broker " +
                   address.ToString() + " for topic '" + Printable(topic) + "'.");
}

Result<std::vector<TopicListing>> ListingOf(const wire::MetadataResponse& response,
                                            const BrokerAddress& address) {
  std::vector<TopicListing> topics;
  topics.reserve(response.topics.size());
  for (const wire::MetadataResponse::Topic& topic : response.topics) {
    const std::string name = topic.name.value_or("");
    if (IsUnknownTopic(topic.error_code) || IsDenial(topic.error_code)) continue;
    if (topic.error_code != 0) {
      return TopicError(topic.error_code, "Kafka does not describe the topic", name, address);
    }
    if (!CheckTopicName(name).ok()) {
      return Error(ErrorCode::kKafkaProtocol,
                   "The Kafka broker lists a topic with a name that none can have: '" +
                       Printable(name) + "' at " + address.ToString() + ".");
    }
    topics.push_back(
        {name, topic.id, topic.is_internal, static_cast<std::int32_t>(topic.partitions.size())});
  }
  std::ranges::sort(topics, {}, &TopicListing::name);
  const auto twice = std::ranges::adjacent_find(topics, {}, &TopicListing::name);
  if (twice == topics.end()) return topics;
  return Error(ErrorCode::kKafkaProtocol, "The Kafka broker lists a topic twice: '" +
                                              Printable(twice->name) + "' at " +
                                              address.ToString() + ".");
}

Result<std::optional<TopicConfig>> ConfigOf(const wire::DescribeConfigsResponse& response,
                                            const std::string& topic,
                                            const BrokerAddress& address) {
  const bool fits = response.resources.size() == 1 &&
                    response.resources[0].type == wire::kTopicResource &&
                    response.resources[0].name == topic;
  if (!fits) {
    return Error(ErrorCode::kKafkaProtocol,
                 "The Kafka broker's answer is not about what was asked for: settings of topic '" +
                     Printable(topic) + "' at " + address.ToString() + ".");
  }
  const wire::DescribeConfigsResponse::Resource& resource = response.resources[0];
  if (IsDenial(resource.error_code)) return std::optional<TopicConfig>();
  if (IsUnknownTopic(resource.error_code)) {
    return Error(ErrorCode::kTableNotFound,
                 "The topic does not exist in Kafka; check its name and --kafka: '" +
                     Printable(topic) + "' at " + address.ToString() + ".");
  }
  if (resource.error_code != 0) {
    return TopicError(resource.error_code, "Kafka does not tell the topic's settings", topic,
                      address);
  }
  TopicConfig config;
  for (const wire::DescribeConfigsResponse::Config& entry : resource.configs) {
    if (entry.value.has_value() && !entry.is_sensitive) config.values[entry.name] = *entry.value;
  }
  return std::optional<TopicConfig>(std::move(config));
}

Result<std::optional<TopicConfig>> AskForConfig(ClusterState& state, const BrokerAddress& address,
                                                const std::string& topic, Deadline deadline,
                                                const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const ConnectionPool::Lease connection,
                          state.Lease(address, deadline, stop));
  const auto version = connection->VersionOf(wire::ApiKey::kDescribeConfigs);
  if (!version.ok()) return std::optional<TopicConfig>();
  wire::DescribeConfigsRequest request;
  request.resources.push_back({wire::kTopicResource, topic, std::nullopt});
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody body,
                          connection->Ask(request, *version, deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const wire::DescribeConfigsResponse response,
                          wire::DecodeDescribeConfigsResponse(body.bytes, body.version));
  return ConfigOf(response, topic, address);
}

Result<std::vector<TopicListing>> AskForTopics(ClusterState& state, const BrokerAddress& address,
                                               Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const ConnectionPool::Lease connection,
                          state.Lease(address, deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const std::int16_t version,
                          connection->VersionOf(wire::ApiKey::kMetadata));
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody body,
                          connection->Ask(wire::MetadataRequest(), version, deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const wire::MetadataResponse response,
                          wire::DecodeMetadataResponse(body.bytes, body.version));
  state.metadata().StoreBrokers(response);
  return ListingOf(response, address);
}

}  // namespace

Result<std::vector<TopicListing>> ListTopicsOnce(ClusterState& state, Deadline deadline,
                                                 const std::stop_token& stop) {
  return state.AskAnyBroker(deadline, [&](const BrokerAddress& address, Deadline attempt) {
    return AskForTopics(state, address, attempt, stop);
  });
}

Result<std::optional<TopicConfig>> DescribeTopicConfigOnce(ClusterState& state,
                                                           const std::string& topic,
                                                           Deadline deadline,
                                                           const std::stop_token& stop) {
  return state.AskAnyBroker(deadline, [&](const BrokerAddress& address, Deadline attempt) {
    return AskForConfig(state, address, topic, attempt, stop);
  });
}

}  // namespace frazil::kafka
