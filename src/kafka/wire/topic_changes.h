// SPDX-License-Identifier: Apache-2.0
// What administrators change in topics: CreateTopics (versions 2 to 7), DeleteTopics (1 to 6),
// CreatePartitions (0 to 3), DeleteRecords (0 to 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

struct CreateTopicsRequest {
  static constexpr ApiKey kApi = ApiKey::kCreateTopics;

  struct Assignment {
    std::int32_t partition = 0;
    std::vector<std::int32_t> brokers;
  };
  struct Config {
    std::string name;
    std::optional<std::string> value;
  };
  struct Topic {
    std::string name;
    // -1 for both: the broker's default, or as the assignments say.
    std::int32_t partitions = -1;
    std::int16_t replication_factor = -1;
    std::vector<Assignment> assignments;
    std::vector<Config> configs;
  };

  std::vector<Topic> topics;
  std::int32_t timeout_ms = 0;
  bool validate_only = false;
};

struct CreateTopicsResponse {
  static constexpr ApiKey kApi = ApiKey::kCreateTopics;

  struct Config {
    std::string name;
    std::optional<std::string> value;
    bool read_only = false;
    // 1: set on the topic, 5: a default.
    std::int8_t source = -1;
    bool is_sensitive = false;
  };
  struct Topic {
    std::string name;
    // From version 7.
    Uuid id;
    std::int16_t error_code = 0;
    std::optional<std::string> error_message;
    // From version 5.
    std::int32_t partitions = -1;
    std::int16_t replication_factor = -1;
    std::optional<std::vector<Config>> configs;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

struct DeleteTopicsRequest {
  static constexpr ApiKey kApi = ApiKey::kDeleteTopics;

  struct Topic {
    // nullopt from version 6 on where the id says which.
    std::optional<std::string> name;
    Uuid id;
  };

  std::vector<Topic> topics;
  std::int32_t timeout_ms = 0;
};

struct DeleteTopicsResponse {
  static constexpr ApiKey kApi = ApiKey::kDeleteTopics;

  struct Topic {
    std::optional<std::string> name;
    // From version 6.
    Uuid id;
    std::int16_t error_code = 0;
    // From version 5.
    std::optional<std::string> error_message;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

struct CreatePartitionsRequest {
  static constexpr ApiKey kApi = ApiKey::kCreatePartitions;

  struct Assignment {
    std::vector<std::int32_t> brokers;
  };
  struct Topic {
    std::string name;
    // All partitions, those that exist too.
    std::int32_t count = 0;
    std::optional<std::vector<Assignment>> assignments;
  };

  std::vector<Topic> topics;
  std::int32_t timeout_ms = 0;
  bool validate_only = false;
};

struct CreatePartitionsResponse {
  static constexpr ApiKey kApi = ApiKey::kCreatePartitions;

  struct Topic {
    std::string name;
    std::int16_t error_code = 0;
    std::optional<std::string> error_message;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

struct DeleteRecordsRequest {
  static constexpr ApiKey kApi = ApiKey::kDeleteRecords;

  struct Partition {
    std::int32_t index = 0;
    // What lies before it goes; -1: everything.
    std::int64_t offset = 0;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::vector<Topic> topics;
  std::int32_t timeout_ms = 0;
};

struct DeleteRecordsResponse {
  static constexpr ApiKey kApi = ApiKey::kDeleteRecords;

  struct Partition {
    std::int32_t index = 0;
    // Where the log starts now.
    std::int64_t low_watermark = -1;
    std::int16_t error_code = 0;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

// Requires of all: a version that this module supports.
void EncodeBody(const CreateTopicsRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const CreateTopicsResponse& response, std::int16_t version, Bytes& to);
void EncodeBody(const DeleteTopicsRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const DeleteTopicsResponse& response, std::int16_t version, Bytes& to);
void EncodeBody(const CreatePartitionsRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const CreatePartitionsResponse& response, std::int16_t version, Bytes& to);
void EncodeBody(const DeleteRecordsRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const DeleteRecordsResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<CreateTopicsRequest> DecodeCreateTopicsRequest(ByteView body, std::int16_t version);
Result<CreateTopicsResponse> DecodeCreateTopicsResponse(ByteView body, std::int16_t version);
Result<DeleteTopicsRequest> DecodeDeleteTopicsRequest(ByteView body, std::int16_t version);
Result<DeleteTopicsResponse> DecodeDeleteTopicsResponse(ByteView body, std::int16_t version);
Result<CreatePartitionsRequest> DecodeCreatePartitionsRequest(ByteView body, std::int16_t version);
Result<CreatePartitionsResponse> DecodeCreatePartitionsResponse(ByteView body,
                                                                std::int16_t version);
Result<DeleteRecordsRequest> DecodeDeleteRecordsRequest(ByteView body, std::int16_t version);
Result<DeleteRecordsResponse> DecodeDeleteRecordsResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
