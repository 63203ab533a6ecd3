// SPDX-License-Identifier: Apache-2.0
#include "app/kafka_record_source.h"

#include <utility>

namespace frazil::app {

Result<std::vector<table::TopicName>> KafkaRecordSource::ListTopics(Deadline deadline,
                                                                    const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(auto topics, cluster_.ListTopics(deadline, stop));
  std::vector<table::TopicName> names;
  names.reserve(topics.size());
  for (kafka::TopicListing& topic : topics) {
    names.push_back({.name = std::move(topic.name),
                     .topic_id = topic.topic_id,
                     .internal = topic.internal,
                     .partitions = topic.partitions});
  }
  return names;
}

Result<table::TopicState> KafkaRecordSource::Describe(const std::string& topic, Deadline deadline,
                                                      const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const kafka::TopicOffsets offsets,
                          cluster_.Describe(topic, deadline, stop));
  table::TopicState state{.topic_id = offsets.topic_id, .partitions = {}};
  for (const kafka::PartitionOffsets& partition : offsets.partitions) {
    state.partitions.push_back({.partition = partition.partition,
                                .epoch = partition.epoch,
                                .start = partition.start,
                                .end = partition.end,
                                .high_watermark = partition.high_watermark});
  }
  return state;
}

Result<std::optional<table::EpochEnd>> KafkaRecordSource::EndOfEpoch(
    const std::string& topic, const Uuid& topic_id, PartitionId partition, LeaderEpoch wanted,
    Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const auto end,
                          cluster_.EndOfEpoch(topic, topic_id, partition, wanted, deadline, stop));
  if (!end) return std::optional<table::EpochEnd>();
  return std::optional<table::EpochEnd>(
      {.epoch = end->epoch, .end = end->end, .leader_epoch = end->leader_epoch});
}

Result<std::optional<bool>> KafkaRecordSource::IsCompacted(const std::string& topic,
                                                           Deadline deadline,
                                                           const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const auto config, cluster_.DescribeTopicConfig(topic, deadline, stop));
  if (!config) return std::optional<bool>();
  const auto policy = config->values.find("cleanup.policy");
  if (policy == config->values.end()) return std::optional<bool>();
  return std::optional<bool>(policy->second.find("compact") != std::string::npos);
}

Result<std::optional<table::OpenTransaction>> KafkaRecordSource::OldestOpenTransaction(
    const std::string& topic, PartitionId partition, Deadline deadline,
    const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const auto open,
                          cluster_.OldestOpenTransaction(topic, partition, deadline, stop));
  if (!open) return std::optional<table::OpenTransaction>();
  return std::optional<table::OpenTransaction>(
      {.producer_id = open->producer_id, .first_offset = open->first_offset});
}

Status KafkaRecordSource::ReadRange(const table::RangeRequest& range, const table::BlockSink& sink,
                                    Deadline deadline, const std::stop_token& stop) {
  const kafka::ReadRequest request{.topic = range.topic,
                                   .topic_id = range.topic_id,
                                   .partition = range.partition,
                                   .epoch = range.epoch,
                                   .start = range.start,
                                   .end = range.end};
  return cluster_.ReadRange(request, sink, deadline, stop);
}

}  // namespace frazil::app
