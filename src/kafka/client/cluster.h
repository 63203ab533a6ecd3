// SPDX-License-Identifier: Apache-2.0
// A Kafka cluster as Frazil reads it: topics, where each partition begins and ends, and the
// committed records of a range. It never writes and never creates a topic.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/uuid.h"
#include "kafka/client/broker_address.h"
#include "kafka/wire/record_batch.h"
#include "net/tcp_stream.h"
#include "telemetry/metrics.h"

namespace frazil::kafka {

struct ClusterOptions {
  // Brokers to start from; at least one.
  std::vector<BrokerAddress> bootstrap;
  std::string client_id = "frazil";
  // Longest wait for one answer, beyond the wait that the request itself asks the broker for. In
  // ReadRange: for its first byte.
  std::chrono::milliseconds request_timeout{10'000};
  // Longest time in ReadRange without a byte from the leader, connecting and finding it included;
  // never less than request_timeout and empty_fetch_wait.
  std::chrono::milliseconds stall_timeout{15'000};
  // Longest wait for one connection.
  std::chrono::milliseconds connect_timeout{3'000};
  // Waits before the second, third ... repeat; they double up to the maximum.
  std::chrono::milliseconds retry_backoff_min{20};
  std::chrono::milliseconds retry_backoff_max{1'000};
  // How long a topic may stay unknown before it counts as absent: brokers learn of a new topic
  // one after the other.
  std::chrono::milliseconds unknown_topic_grace{1'000};
  // R6: the wait of the two fetches whose empty answers show that a range ends in a hole.
  std::chrono::milliseconds empty_fetch_wait{5'000};
  // Age from which ReadRange asks for metadata again. Describe checks it each time.
  std::chrono::milliseconds metadata_max_age{30'000};
  // Most bytes that one fetch asks for: so few that what is received still lies in the processor's
  // caches when it is read. A single batch may be larger. Memory for 16 such answers is kept for
  // later ones.
  std::int32_t fetch_max_bytes = 2 << 20;
  // A broker's answer above this size is refused, before it is allocated.
  std::int32_t max_response_bytes = 256 << 20;
  // Payload after which records are handed to the sink within one answer. Twice as many bytes that
  // were uncompressed for them, or 2^14 records, have the same effect.
  std::size_t block_payload_bytes = 8 << 20;
  // Connections to one broker at the same time; further calls wait for a free one.
  int max_connections_per_broker = 8;
  wire::RecordBatchLimits batch_limits;
};

// How connections are made: the place for TLS, and for SASL, whose exchange comes before all other
// requests. Tests put a scripted broker here.
using ConnectFunction = std::function<Result<std::unique_ptr<net::TcpStream>>(
    const BrokerAddress& address, Deadline deadline, const std::stop_token& stop)>;

struct PartitionOffsets {
  PartitionId partition;
  BrokerId leader;
  // -1 where the broker knows none.
  LeaderEpoch epoch{-1};
  // The log's start and its last stable offset (R7), told by the leader; start <= end.
  Offset start;
  Offset end;
  // What is acknowledged, committed or not: told by the same leader after `end`, so never below it.
  Offset high_watermark;
};

struct TopicOffsets {
  // Zero where the brokers know no topic ids.
  Uuid topic_id;
  // Ascending, each partition once, numbered from 0 without gaps.
  std::vector<PartitionOffsets> partitions;
};

struct ReadRequest {
  std::string topic;
  // A read from a topic with another id fails with topic_recreated; zero: not checked.
  Uuid topic_id;
  PartitionId partition;
  // No leader of an older epoch than this is read from; -1: any.
  LeaderEpoch epoch{-1};
  Offset start;
  Offset end;
};

struct TopicListing {
  std::string name;
  // Zero where the brokers know no topic ids.
  Uuid topic_id;
  // Kafka's own: consumer offsets and the like.
  bool internal = false;
  std::int32_t partitions = 0;
};

struct TopicConfig {
  // By name, defaults included; what is sensitive or not set is left out.
  std::map<std::string, std::string> values;
};

// Where an epoch ended in a partition's log (KIP-320).
struct EpochEnd {
  // The largest epoch with records, up to the one that was asked about.
  LeaderEpoch epoch;
  // The offset after its last record. For the leader's own epoch the end of its log, which may lie
  // above the high watermark.
  Offset end;
  // The epoch of the leader that tells it; -1 where the broker knows none.
  LeaderEpoch leader_epoch;
};

struct OpenTransaction {
  std::int64_t producer_id = 0;
  Offset first_offset;
};

class ClusterState;

// Takes records in order of offset; an error ends the read and becomes its result. The block's
// owners keep its views alive. Its `held_bytes` are what the read holds at that moment: the
// broker's answer, and the batches, uncompressed, that the block came from. Each batch of which a
// record is handed over is marked once in a whole read, in the block that holds the first of them.
using RecordSink = std::function<Status(RecordBlock block)>;

// Threads: all calls may be made from any number of threads at once; no lock is held while a broker
// is waited for or the sink runs.
//
// All repeat what a broker refuses for a passing reason (leader moved, throttled, connection lost)
// until the deadline, and then fail with kafka_unavailable, naming broker and cause. A stop gives
// cancelled.
class Cluster {
 public:
  // Connects through net::ConnectTcp. `metrics` must outlive the cluster. Makes no connection yet.
  Cluster(ClusterOptions options, telemetry::Metrics& metrics);
  Cluster(ClusterOptions options, telemetry::Metrics& metrics, ConnectFunction connect);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // The state of the topic's partitions. It includes every record that was acknowledged (acks=all)
  // and committed before the call, partitions that were added before it too, and the offsets are
  // those of the topic with the id that is returned.
  // Errors: table_not_found, naming topic and brokers; kafka_unavailable, kafka_protocol (also when
  // the brokers deny access), unsupported (brokers without a needed protocol version), cancelled.
  Result<TopicOffsets> Describe(const std::string& topic, Deadline deadline,
                                const std::stop_token& stop);

  // The topics that the brokers show Frazil, ascending by name. A topic that is being deleted is
  // left out.
  // Errors: kafka_unavailable, kafka_protocol, unsupported, cancelled.
  Result<std::vector<TopicListing>> ListTopics(Deadline deadline, const std::stop_token& stop);

  // The topic's settings; nullopt when the brokers deny them (DESCRIBE_CONFIGS) or do not offer
  // them. Errors: table_not_found; those of ListTopics.
  Result<std::optional<TopicConfig>> DescribeTopicConfig(const std::string& topic,
                                                         Deadline deadline,
                                                         const std::stop_token& stop);

  // The largest epoch up to `wanted` that the partition's leader knows, and where it ends in the
  // log; asked with the leader's current epoch, so that a deposed leader does not answer.
  // `topic_id`: as in ReadRequest. nullopt where the broker cannot tell: it does not offer the
  // request, or knows no such epoch.
  // Errors: topic_recreated; those of Describe.
  Result<std::optional<EpochEnd>> EndOfEpoch(const std::string& topic, const Uuid& topic_id,
                                             PartitionId partition, LeaderEpoch wanted,
                                             Deadline deadline, const std::stop_token& stop);

  // For each partition the offset of its first committed record that is stamped `time` or later;
  // nullopt where there is none. Ascending, each partition once. Stamps need not rise with offsets:
  // what lies behind may be stamped earlier. A time before 1970 counts as 1970.
  // Errors: those of Describe.
  Result<std::vector<std::pair<PartitionId, std::optional<Offset>>>> OffsetsForTime(
      const std::string& topic, UnixMillis time, Deadline deadline, const std::stop_token& stop);

  // The transaction that has been open longest in the partition, which holds back its last stable
  // offset (R7); nullopt when there is none, or the broker denies or does not offer the request
  // (before Kafka 3.0).
  // Errors: those of Describe.
  Result<std::optional<OpenTransaction>> OldestOpenTransaction(const std::string& topic,
                                                               PartitionId partition,
                                                               Deadline deadline,
                                                               const std::stop_token& stop);

  // Hands every committed record of [start, end) to the sink, none twice, and returns only when the
  // range is complete (R6). Control records and aborted records are not handed over. A range that
  // ends in a hole at the very end of a log takes two fetches of empty_fetch_wait: give it a
  // deadline longer than that.
  // Memory: one answer of the broker (fetch_max_bytes, or one batch if that is larger), and the
  // records that wait for the sink: block_payload_bytes with the batches that they came from
  // uncompressed, of which the last may be as large as batch_limits allow. Nothing is fetched while
  // the sink runs.
  // A broker that sends nothing for stall_timeout ends the read with kafka_unavailable, whatever
  // the deadline. Errors: records_gone when the log starts after `start`; log_truncated when the
  // log ends before `end`, looked at again until the deadline; topic_recreated; corrupt_data,
  // naming topic, partition and offset; unsupported (message formats 0 and 1, a record above
  // batch_limits.max_record_bytes) and resource_exhausted (a batch above its limits), naming the
  // same; those of Describe; the sink's.
  Status ReadRange(const ReadRequest& request, const RecordSink& sink, Deadline deadline,
                   const std::stop_token& stop);

 private:
  std::unique_ptr<ClusterState> state_;
};

}  // namespace frazil::kafka
