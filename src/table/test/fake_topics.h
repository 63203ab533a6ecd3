// SPDX-License-Identifier: Apache-2.0
// A cluster of many empty topics that come and go, for tests of names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "table/record_source.h"
#include "table/schema_source.h"

namespace frazil::table {

class FakeTopics final : public RecordSource {
 public:
  void Add(const std::string& name, bool internal = false) {
    MutexLock lock(mutex_);
    topics_[name] = {
        .name = name, .topic_id = Uuid::Random(), .internal = internal, .partitions = 1};
  }
  void Delete(const std::string& name) {
    MutexLock lock(mutex_);
    topics_.erase(name);
  }
  // Calls fail with this until it is set to nothing.
  void FailWith(std::optional<Error> error) {
    MutexLock lock(mutex_);
    error_ = std::move(error);
  }
  int listed() const {
    MutexLock lock(mutex_);
    return listed_;
  }

  Result<std::vector<TopicName>> ListTopics(Deadline /*deadline*/,
                                            const std::stop_token& /*stop*/) override {
    MutexLock lock(mutex_);
    ++listed_;
    if (error_) return *error_;
    std::vector<TopicName> names;
    for (const auto& [name, topic] : topics_) names.push_back(topic);
    return names;
  }

  Result<TopicState> Describe(const std::string& topic, Deadline /*deadline*/,
                              const std::stop_token& /*stop*/) override {
    MutexLock lock(mutex_);
    if (error_) return *error_;
    const auto found = topics_.find(topic);
    if (found == topics_.end()) {
      return Error(ErrorCode::kTableNotFound, "no such topic: " + topic);
    }
    return TopicState{.topic_id = found->second.topic_id,
                      .partitions = {{.partition = PartitionId(0),
                                      .epoch = LeaderEpoch(1),
                                      .start = Offset(0),
                                      .end = Offset(0),
                                      .high_watermark = Offset(0)}}};
  }

  Result<std::optional<EpochEnd>> EndOfEpoch(const std::string& /*topic*/, const Uuid& /*id*/,
                                             PartitionId /*partition*/, LeaderEpoch /*wanted*/,
                                             Deadline /*deadline*/,
                                             const std::stop_token& /*stop*/) override {
    return std::optional<EpochEnd>();
  }

  Result<std::optional<bool>> IsCompacted(const std::string& /*topic*/, Deadline /*deadline*/,
                                          const std::stop_token& /*stop*/) override {
    return std::optional<bool>(false);
  }

  Result<std::optional<OpenTransaction>> OldestOpenTransaction(
      const std::string& /*topic*/, PartitionId /*partition*/, Deadline /*deadline*/,
      const std::stop_token& /*stop*/) override {
    return std::optional<OpenTransaction>();
  }

  Status ReadRange(const RangeRequest& /*range*/, const BlockSink& /*sink*/, Deadline /*deadline*/,
                   const std::stop_token& /*stop*/) override {
    return {};
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, TopicName> topics_ FRAZIL_GUARDED_BY(mutex_);
  std::optional<Error> error_ FRAZIL_GUARDED_BY(mutex_);
  int listed_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

// Every subject holds one schema.
class OneSchema final : public SchemaSource {
 public:
  Result<std::vector<SubjectVersion>> Versions(const std::string& /*subject*/,
                                               Deadline /*deadline*/,
                                               const std::stop_token& /*stop*/) override {
    return std::vector<SubjectVersion>{{.version = 1, .schema = Schema()}};
  }
  Result<RegisteredSchema> ById(WriterSchemaId /*id*/, Deadline /*deadline*/,
                                const std::stop_token& /*stop*/) override {
    return Schema();
  }

 private:
  static RegisteredSchema Schema() {
    return {.id = WriterSchemaId(1),
            .format = "AVRO",
            .text = R"({"type":"record","name":"R","fields":[{"name":"id","type":"long"}]})",
            .references = {}};
  }
};

}  // namespace frazil::table
