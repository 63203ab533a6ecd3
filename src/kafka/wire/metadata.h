// SPDX-License-Identifier: Apache-2.0
// Metadata, versions 4 to 12: brokers, topics, partitions and their leaders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

struct MetadataRequest {
  static constexpr ApiKey kApi = ApiKey::kMetadata;

  struct Topic {
    // From version 10; only asked for by name.
    Uuid id;
    std::optional<std::string> name;
  };

  // nullopt: all topics.
  std::optional<std::vector<Topic>> topics;
  bool allow_auto_topic_creation = false;
};

struct MetadataResponse {
  static constexpr ApiKey kApi = ApiKey::kMetadata;

  struct Broker {
    std::int32_t id = 0;
    std::string host;
    std::int32_t port = 0;
    std::optional<std::string> rack;
  };
  struct Partition {
    std::int16_t error_code = 0;
    std::int32_t index = 0;
    std::int32_t leader_id = -1;
    // From version 7.
    std::int32_t leader_epoch = -1;
    std::vector<std::int32_t> replicas;
    std::vector<std::int32_t> in_sync_replicas;
    std::vector<std::int32_t> offline_replicas;
  };
  struct Topic {
    std::int16_t error_code = 0;
    std::optional<std::string> name;
    // From version 10; zero where the broker knows none.
    Uuid id;
    bool is_internal = false;
    std::vector<Partition> partitions;
    std::int32_t authorized_operations = INT32_MIN;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Broker> brokers;
  std::optional<std::string> cluster_id;
  std::int32_t controller_id = -1;
  std::vector<Topic> topics;
  std::int32_t cluster_authorized_operations = INT32_MIN;
};

// Requires of all: a version that this module supports.
void EncodeBody(const MetadataRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const MetadataResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<MetadataRequest> DecodeMetadataRequest(ByteView body, std::int16_t version);
Result<MetadataResponse> DecodeMetadataResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
