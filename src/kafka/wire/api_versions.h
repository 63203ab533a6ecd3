// SPDX-License-Identifier: Apache-2.0
// ApiVersions, versions 0 to 3: which requests a broker takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

struct ApiVersionsRequest {
  static constexpr ApiKey kApi = ApiKey::kApiVersions;

  // From version 3; letters, digits, '.', '-' and inside also '_' as KIP-511 has it.
  std::string client_software_name;
  std::string client_software_version;
};

struct ApiVersionsResponse {
  static constexpr ApiKey kApi = ApiKey::kApiVersions;

  struct Api {
    std::int16_t key = 0;
    VersionRange versions;
  };

  std::int16_t error_code = 0;
  std::vector<Api> apis;
  std::int32_t throttle_time_ms = 0;

  // nullopt when the broker does not take it at all.
  std::optional<VersionRange> Find(ApiKey api) const;
};

// Requires of all: a version that this module supports.
void EncodeBody(const ApiVersionsRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const ApiVersionsResponse& response, std::int16_t version, Bytes& to);
// A response whose error is UNSUPPORTED_VERSION has the form of version 0, whatever was asked.
// Errors: kafka_protocol.
Result<ApiVersionsRequest> DecodeApiVersionsRequest(ByteView body, std::int16_t version);
Result<ApiVersionsResponse> DecodeApiVersionsResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
