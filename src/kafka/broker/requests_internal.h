// SPDX-License-Identifier: Apache-2.0
// One request of a client and its answer, without sockets.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "kafka/broker/group_offsets_internal.h"
#include "kafka/broker/topic_store_internal.h"
#include "kafka/wire/api.h"
#include "kafka/wire/api_versions.h"
#include "kafka/wire/describe_configs.h"
#include "kafka/wire/fetch.h"
#include "kafka/wire/group_offsets.h"
#include "kafka/wire/init_producer_id.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/metadata.h"
#include "kafka/wire/offset_for_leader_epoch.h"
#include "kafka/wire/produce.h"
#include "kafka/wire/topic_changes.h"

namespace frazil::kafka::broker {

// The only node of the cluster.
inline constexpr std::int32_t kNodeId = 1;

struct StateOptions {
  StoreLimits store;
  bool auto_create_topics = true;
  std::int32_t default_partitions = 1;
  std::size_t most_committed_offsets = 100'000;
  // Of the records in one answer to a Fetch, except that the first batch comes whole.
  std::size_t most_fetched_bytes = std::size_t{16} << 20;
  // What a Fetch that asks for more waits.
  std::chrono::milliseconds longest_wait{60'000};
};

// All that the broker knows. Threads: may be used from several threads at once.
struct BrokerState {
  // `first_producer_id` differs from one broker to the next, so that a producer that outlives its
  // broker is not taken for another one.
  BrokerState(const StateOptions& state_options, const Clock& clock, std::string state_cluster_id,
              std::int64_t first_producer_id)
      : options(state_options),
        cluster_id(std::move(state_cluster_id)),
        topics(options.store, clock),
        groups(options.most_committed_offsets),
        next_producer_id(first_producer_id) {}

  const StateOptions options;
  const std::string cluster_id;
  TopicStore topics;
  GroupOffsets groups;
  std::atomic<std::int64_t> next_producer_id;
};

// What clients are told to connect to.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};

struct RequestScope {
  BrokerState& state;
  const Endpoint& endpoint;
  std::int16_t version;
  const std::stop_token& stop;
};

// The answer to the request in `frame`, which has no length in front; the answer has it. Empty when
// the client wants none. A Fetch may wait.
// Errors: kafka_protocol, unsupported; the connection is then of no further use.
Result<Bytes> AnswerRequest(ByteView frame, BrokerState& state, const Endpoint& endpoint,
                            const std::stop_token& stop);

// What AnswerRequest takes, with versions.
std::vector<wire::ApiVersionsResponse::Api> OfferedRequests();

// A Fetch answer and the batches that it has views of.
struct FetchAnswer {
  wire::FetchResponse response;
  std::vector<Bytes> records;
};

wire::ProduceResponse AnswerProduce(const wire::ProduceRequest& request, const RequestScope& scope);
FetchAnswer AnswerFetch(const wire::FetchRequest& request, const RequestScope& scope);
wire::ListOffsetsResponse AnswerListOffsets(const wire::ListOffsetsRequest& request,
                                            const RequestScope& scope);
wire::OffsetForLeaderEpochResponse AnswerOffsetForLeaderEpoch(
    const wire::OffsetForLeaderEpochRequest& request, const RequestScope& scope);

wire::MetadataResponse AnswerMetadata(const wire::MetadataRequest& request,
                                      const RequestScope& scope);
wire::CreateTopicsResponse AnswerCreateTopics(const wire::CreateTopicsRequest& request,
                                              const RequestScope& scope);
wire::DeleteTopicsResponse AnswerDeleteTopics(const wire::DeleteTopicsRequest& request,
                                              const RequestScope& scope);
wire::CreatePartitionsResponse AnswerCreatePartitions(const wire::CreatePartitionsRequest& request,
                                                      const RequestScope& scope);
wire::DeleteRecordsResponse AnswerDeleteRecords(const wire::DeleteRecordsRequest& request,
                                                const RequestScope& scope);
wire::DescribeConfigsResponse AnswerDescribeConfigs(const wire::DescribeConfigsRequest& request,
                                                    const RequestScope& scope);

wire::FindCoordinatorResponse AnswerFindCoordinator(const wire::FindCoordinatorRequest& request,
                                                    const RequestScope& scope);
wire::OffsetCommitResponse AnswerOffsetCommit(const wire::OffsetCommitRequest& request,
                                              const RequestScope& scope);
wire::OffsetFetchResponse AnswerOffsetFetch(const wire::OffsetFetchRequest& request,
                                            const RequestScope& scope);
wire::InitProducerIdResponse AnswerInitProducerId(const wire::InitProducerIdRequest& request,
                                                  const RequestScope& scope);

inline std::int16_t CodeOf(wire::ProtocolError error) { return static_cast<std::int16_t>(error); }

}  // namespace frazil::kafka::broker
