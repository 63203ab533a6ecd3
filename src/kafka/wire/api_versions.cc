// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/api_versions.h"

#include "kafka/wire/codec.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka::wire {
namespace {

template <typename Codec, typename Message>
void VisitRequest(Codec& codec, Message& message, std::int16_t version) {
  if (version < 3) return;
  codec.String(message.client_software_name);
  codec.String(message.client_software_version);
  codec.Tags();
}

template <typename Codec, typename Message>
void VisitResponse(Codec& codec, Message& message, std::int16_t version) {
  codec.Integer(message.error_code);
  codec.Array(message.apis, [&codec](auto& api) {
    codec.Integer(api.key);
    codec.Integer(api.versions.first);
    codec.Integer(api.versions.last);
    codec.Tags();
  });
  if (version >= 1) codec.Integer(message.throttle_time_ms);
  codec.Tags();
}

}  // namespace

std::optional<VersionRange> ApiVersionsResponse::Find(ApiKey api) const {
  for (const Api& entry : apis) {
    if (entry.key == static_cast<std::int16_t>(api)) return entry.versions;
  }
  return std::nullopt;
}

void EncodeBody(const ApiVersionsRequest& request, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(request.kApi, version));
  VisitRequest(writer, request, version);
}

void EncodeBody(const ApiVersionsResponse& response, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(response.kApi, version));
  VisitResponse(writer, response, version);
}

Result<ApiVersionsRequest> DecodeApiVersionsRequest(ByteView body, std::int16_t version) {
  ApiVersionsRequest request;
  Reader reader(body, IsFlexible(request.kApi, version));
  VisitRequest(reader, request, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("ApiVersions request"));
  return request;
}

Result<ApiVersionsResponse> DecodeApiVersionsResponse(ByteView body, std::int16_t version) {
  const bool refused =
      body.size() >= 2 && LoadBigEndian<std::int16_t>(body.data()) ==
                              static_cast<std::int16_t>(ProtocolError::kUnsupportedVersion);
  if (refused) version = 0;
  ApiVersionsResponse response;
  Reader reader(body, IsFlexible(response.kApi, version));
  VisitResponse(reader, response, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("ApiVersions response"));
  return response;
}

}  // namespace frazil::kafka::wire
