// SPDX-License-Identifier: Apache-2.0
// What `table` needs of Kafka. `app` connects it to kafka/client.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/uuid.h"
#include "decode/source_record.h"

namespace frazil::table {

// A topic as the cluster lists it.
struct TopicName {
  std::string name{};
  // Zero where the brokers know no topic ids.
  Uuid topic_id{};
  // Kafka's own, as the brokers say: __consumer_offsets.
  bool internal = false;
  int partitions = 0;
};

struct PartitionState {
  PartitionId partition;
  // The leader's epoch; -1 where the broker knows none.
  LeaderEpoch epoch{-1};
  // The log's start and its last stable offset, both told by the leader (R6, R7).
  Offset start;
  Offset end;
  // Not below `end`. What lies between the two is behind an open transaction.
  Offset high_watermark;
};

struct TopicState {
  // Zero where the brokers know no topic ids.
  Uuid topic_id;
  // Ascending, each partition once.
  std::vector<PartitionState> partitions;
};

// Where the records of an epoch end in a leader's log.
struct EpochEnd {
  // The largest epoch that the leader knows and that is not above the one that was asked for.
  LeaderEpoch epoch{-1};
  Offset end;
  // The epoch of the leader that answered.
  LeaderEpoch leader_epoch{-1};
};

struct OpenTransaction {
  std::int64_t producer_id = 0;
  Offset first_offset;
};

struct RangeRequest {
  std::string topic;
  // A read from a topic with another id fails with topic_recreated; zero: not checked.
  Uuid topic_id;
  PartitionId partition;
  LeaderEpoch epoch{-1};
  Offset start;
  Offset end;
};

// Takes blocks in order of offset; an error ends the read and becomes its result.
using BlockSink = std::function<Status(decode::RecordBlock block)>;

// Threads: may be called from several threads at once.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // Every topic of the cluster that may be seen, in any order, each once.
  // Errors: kafka_unavailable, deadline_exceeded, kafka_protocol, cancelled.
  virtual Result<std::vector<TopicName>> ListTopics(Deadline deadline,
                                                    const std::stop_token& stop) = 0;

  // Errors: table_not_found when the topic does not exist; kafka_unavailable, deadline_exceeded,
  // kafka_protocol, cancelled.
  virtual Result<TopicState> Describe(const std::string& topic, Deadline deadline,
                                      const std::stop_token& stop) = 0;

  // Where the epoch `wanted` ends in the leader's log (R1); nullopt when the brokers cannot tell.
  // Errors: those of Describe.
  virtual Result<std::optional<EpochEnd>> EndOfEpoch(const std::string& topic, const Uuid& topic_id,
                                                     PartitionId partition, LeaderEpoch wanted,
                                                     Deadline deadline,
                                                     const std::stop_token& stop) = 0;

  // Whether the topic's cleanup policy holds "compact"; nullopt when that may not be read.
  // Errors: those of Describe.
  virtual Result<std::optional<bool>> IsCompacted(const std::string& topic, Deadline deadline,
                                                  const std::stop_token& stop) = 0;

  // The transaction that has been open longest in the partition, which holds back its last stable
  // offset (R7); nullopt when there is none, or the brokers cannot tell. Errors: those of Describe.
  virtual Result<std::optional<OpenTransaction>> OldestOpenTransaction(
      const std::string& topic, PartitionId partition, Deadline deadline,
      const std::stop_token& stop) = 0;

  // Hands every committed record of [start, end) to the sink, none twice, and returns only when the
  // range is complete (R6). Control records and aborted records are not handed over.
  // Errors: records_gone when the log starts after `start`; log_truncated when the log ends before
  // `end`; topic_recreated; corrupt_data; those of Describe.
  virtual Status ReadRange(const RangeRequest& range, const BlockSink& sink, Deadline deadline,
                           const std::stop_token& stop) = 0;
};

}  // namespace frazil::table
