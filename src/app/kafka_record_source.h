// SPDX-License-Identifier: Apache-2.0
// kafka::Cluster as the RecordSource that `table` asks for.
#pragma once

#include <string>
#include <vector>

#include "kafka/client/cluster.h"
#include "table/record_source.h"

namespace frazil::app {

// Owns: nothing; the cluster must outlive it.
class KafkaRecordSource final : public table::RecordSource {
 public:
  explicit KafkaRecordSource(kafka::Cluster& cluster) : cluster_(cluster) {}

  Result<std::vector<table::TopicName>> ListTopics(Deadline deadline,
                                                   const std::stop_token& stop) override;
  Result<table::TopicState> Describe(const std::string& topic, Deadline deadline,
                                     const std::stop_token& stop) override;
  Result<std::optional<table::EpochEnd>> EndOfEpoch(const std::string& topic, const Uuid& topic_id,
                                                    PartitionId partition, LeaderEpoch wanted,
                                                    Deadline deadline,
                                                    const std::stop_token& stop) override;
  Result<std::optional<bool>> IsCompacted(const std::string& topic, Deadline deadline,
                                          const std::stop_token& stop) override;
  Result<std::optional<table::OpenTransaction>> OldestOpenTransaction(
      const std::string& topic, PartitionId partition, Deadline deadline,
      const std::stop_token& stop) override;
  Status ReadRange(const table::RangeRequest& range, const table::BlockSink& sink,
                   Deadline deadline, const std::stop_token& stop) override;

 private:
  kafka::Cluster& cluster_;
};

}  // namespace frazil::app
