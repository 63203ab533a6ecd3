// SPDX-License-Identifier: Apache-2.0
// DescribeConfigs, versions 1 to 4: the settings of topics and brokers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

inline constexpr std::int8_t kTopicResource = 2;

struct DescribeConfigsRequest {
  static constexpr ApiKey kApi = ApiKey::kDescribeConfigs;

  struct Resource {
    std::int8_t type = kTopicResource;
    std::string name;
    // nullopt: all settings.
    std::optional<std::vector<std::string>> keys;
  };

  std::vector<Resource> resources;
  // Where a value comes from, layer by layer.
  bool include_synonyms = false;
  // From version 3.
  bool include_documentation = false;
};

struct DescribeConfigsResponse {
  static constexpr ApiKey kApi = ApiKey::kDescribeConfigs;

  struct Synonym {
    std::string name;
    std::optional<std::string> value;
    std::int8_t source = 0;
  };
  struct Config {
    std::string name;
    // nullopt: not set, or not told because it is sensitive.
    std::optional<std::string> value;
    bool read_only = false;
    std::int8_t source = -1;
    bool is_sensitive = false;
    std::vector<Synonym> synonyms;
    // From version 3.
    std::int8_t type = 0;
    std::optional<std::string> documentation;
  };
  struct Resource {
    std::int16_t error_code = 0;
    std::optional<std::string> error_message;
    std::int8_t type = kTopicResource;
    std::string name;
    std::vector<Config> configs;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Resource> resources;
};

// Requires of all: a version that this module supports.
void EncodeBody(const DescribeConfigsRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const DescribeConfigsResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<DescribeConfigsRequest> DecodeDescribeConfigsRequest(ByteView body, std::int16_t version);
Result<DescribeConfigsResponse> DecodeDescribeConfigsResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
