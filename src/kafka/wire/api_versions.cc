// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/api_versions.h"

#include "kafka/wire/message_internal.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kRequest = [](auto& codec, auto& message, std::int16_t version) {
  if (version < 3) return;
  codec.String(message.client_software_name);
  codec.String(message.client_software_version);
  codec.Tags();
};

constexpr auto kResponse = [](auto& codec, auto& message, std::int16_t version) {
  codec.Integer(message.error_code);
  codec.Array(message.apis, [&codec](auto& api) {
    codec.Integer(api.key);
    codec.Integer(api.versions.first);
    codec.Integer(api.versions.last);
    codec.Tags();
  });
  if (version >= 1) codec.Integer(message.throttle_time_ms);
  codec.Tags();
};

}  // namespace

std::optional<VersionRange> ApiVersionsResponse::Find(ApiKey api) const {
  for (const Api& entry : apis) {
    if (entry.key == static_cast<std::int16_t>(api)) return entry.versions;
  }
  return std::nullopt;
}

void EncodeBody(const ApiVersionsRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kRequest);
}

void EncodeBody(const ApiVersionsResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kResponse);
}

Result<ApiVersionsRequest> DecodeApiVersionsRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<ApiVersionsRequest>(body, version, "ApiVersions request", kRequest);
}

Result<ApiVersionsResponse> DecodeApiVersionsResponse(ByteView body, std::int16_t version) {
  const bool refused =
      body.size() >= 2 && LoadBigEndian<std::int16_t>(body.data()) ==
                              static_cast<std::int16_t>(ProtocolError::kUnsupportedVersion);
  if (refused) version = 0;
  ApiVersionsResponse response;
  Reader reader(body, IsFlexible(response.kApi, version));
  kResponse(reader, response, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("ApiVersions response"));
  return response;
}

}  // namespace frazil::kafka::wire
