// SPDX-License-Identifier: Apache-2.0
// One call of Cluster::ReadRange.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "kafka/client/cluster.h"
#include "kafka/client/cluster_state_internal.h"
#include "kafka/wire/compression.h"
#include "kafka/wire/fetch.h"

namespace frazil::kafka {

// Fetches the range from the partition's leader, piece by piece, and keeps the place between
// repeats. Threads: one.
class RangeReader {
 public:
  // All arguments must outlive the reader.
  RangeReader(ClusterState& state, const ReadRequest& request, const RecordSink& sink,
              Deadline deadline, const std::stop_token& stop);

  // Errors: those of Cluster::ReadRange.
  Status Run();

 private:
  struct Answer {
    wire::FetchResponse::Partition partition;
    std::int32_t throttle_time_ms = 0;
    // Keeps the partition's records.
    std::shared_ptr<const void> owner;
    BrokerAddress address;
    // What the broker was asked to wait for records.
    std::chrono::milliseconds wait{0};
  };

  // One fetch, and what follows from it.
  Status Step();
  Result<Answer> Fetch(const TopicMetadata& metadata);
  wire::FetchRequest MakeRequest(const TopicMetadata& metadata, std::int32_t wait_ms) const;
  Result<Answer> TakeAnswer(const ResponseBody& body, const TopicMetadata& metadata,
                            const BrokerAddress& address) const;
  // The topic as it stands, with the id that the range belongs to.
  Result<TopicMetadata> CheckedTopic(std::chrono::milliseconds max_age);
  Status CheckEnd();

  Status TakeRecords(Answer& answer);
  Status TakeBatch(const wire::RecordBatch& batch, wire::AbortedTransactionFilter& filter,
                   const Answer& answer);
  Status TakeBatchRecords(const wire::RecordBatch& batch, const Answer& answer);
  // That the block at hand may still hold, when it is empty.
  std::size_t MostRecordsLeft() const;
  bool IsBlockFull() const;
  Status Emit();
  // After an answer without a whole batch.
  Status TakeEmpty(const Answer& answer);
  Status TakePartialBatch(std::size_t bytes);
  // After a partition's error code.
  Status TakeError(std::int16_t code, const TopicMetadata& metadata, const BrokerAddress& address);
  Status TakeOutOfRange(const TopicMetadata& metadata, const BrokerAddress& address);
  Result<std::int64_t> ListOffset(ConnectionPool::Lease& connection, const TopicMetadata& metadata,
                                  std::int64_t timestamp);

  // The deadline, or the moment from which on the read has stalled.
  Deadline Patience() const;
  Result<ConnectionPool::Lease> LeaseLeader(const BrokerAddress& address);
  std::int32_t FetchBytes() const;
  std::int32_t EpochToSend(const TopicMetadata& metadata) const;
  std::string Place() const;
  Error LogEnds(std::int64_t end, const BrokerAddress& address) const;

  ClusterState& state_;
  const ReadRequest& request_;
  const RecordSink& sink_;
  Deadline deadline_;
  const std::stop_token& stop_;

  // All before it has been handed over, or is not for readers.
  std::int64_t next_;
  RecordBlock pending_;
  // Whether the answer's own bytes are among the owners of `pending_`.
  bool pending_owns_answer_ = false;
  // Uncompressed for `pending_`.
  std::size_t pending_buffer_bytes_ = 0;
  // Of the answer at hand, and of its last batch when uncompressed.
  std::size_t answer_bytes_ = 0;
  std::size_t batch_bytes_ = 0;
  bool sink_failed_ = false;
  wire::Decompressor decompressor_;
  // By when the leader must have sent something.
  Deadline stall_;
  bool answered_ = false;
  // Whether fetches wait for records: from the first empty answer on (R6).
  bool patient_ = false;
  int empty_answers_ = 0;
  int partial_answers_ = 0;
  // Seen so far, for the size of the next fetch.
  double bytes_per_offset_ = 1024;
  std::int32_t fetch_bytes_floor_;
  // Whether a broker wanted to send the reader to a follower.
  bool leader_only_ = false;
  // Whether topics were named rather than given by id, so that the id has to be checked at the end.
  bool fetched_by_name_ = false;
};

}  // namespace frazil::kafka
