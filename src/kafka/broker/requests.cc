// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "kafka/broker/requests_internal.h"

namespace frazil::kafka::broker {
namespace {

using wire::ApiKey;
using wire::RequestHeader;

using Answerer = Result<Bytes> (*)(const RequestHeader& header, ByteView body,
                                   const RequestScope& scope);

struct Route {
  ApiKey api;
  Answerer answer;
};

template <auto kDecode, auto kAnswer>
Result<Bytes> Decoded(const RequestHeader& header, ByteView body, const RequestScope& scope) {
  FRAZIL_ASSIGN_OR_RETURN(const auto request, kDecode(body, header.version));
  return wire::EncodeResponseFrame(header.correlation_id, header.version, kAnswer(request, scope));
}

Result<Bytes> Produce(const RequestHeader& header, ByteView body, const RequestScope& scope) {
  FRAZIL_ASSIGN_OR_RETURN(const auto request, wire::DecodeProduceRequest(body, header.version));
  const auto response = AnswerProduce(request, scope);
  if (request.acks == 0) return Bytes();
  return wire::EncodeResponseFrame(header.correlation_id, header.version, response);
}

Result<Bytes> Fetch(const RequestHeader& header, ByteView body, const RequestScope& scope) {
  FRAZIL_ASSIGN_OR_RETURN(const auto request, wire::DecodeFetchRequest(body, header.version));
  const FetchAnswer answer = AnswerFetch(request, scope);
  return wire::EncodeResponseFrame(header.correlation_id, header.version, answer.response);
}

Result<Bytes> ApiVersions(const RequestHeader& header, ByteView body,
                          const RequestScope& /*scope*/) {
  FRAZIL_RETURN_IF_ERROR(wire::DecodeApiVersionsRequest(body, header.version));
  wire::ApiVersionsResponse response;
  response.apis = OfferedRequests();
  return wire::EncodeResponseFrame(header.correlation_id, header.version, response);
}

constexpr auto kRoutes = std::to_array<Route>({
    {ApiKey::kProduce, Produce},
    {ApiKey::kFetch, Fetch},
    {ApiKey::kListOffsets, Decoded<wire::DecodeListOffsetsRequest, AnswerListOffsets>},
    {ApiKey::kMetadata, Decoded<wire::DecodeMetadataRequest, AnswerMetadata>},
    {ApiKey::kOffsetCommit, Decoded<wire::DecodeOffsetCommitRequest, AnswerOffsetCommit>},
    {ApiKey::kOffsetFetch, Decoded<wire::DecodeOffsetFetchRequest, AnswerOffsetFetch>},
    {ApiKey::kFindCoordinator, Decoded<wire::DecodeFindCoordinatorRequest, AnswerFindCoordinator>},
    {ApiKey::kApiVersions, ApiVersions},
    {ApiKey::kCreateTopics, Decoded<wire::DecodeCreateTopicsRequest, AnswerCreateTopics>},
    {ApiKey::kDeleteTopics, Decoded<wire::DecodeDeleteTopicsRequest, AnswerDeleteTopics>},
    {ApiKey::kDeleteRecords, Decoded<wire::DecodeDeleteRecordsRequest, AnswerDeleteRecords>},
    {ApiKey::kInitProducerId, Decoded<wire::DecodeInitProducerIdRequest, AnswerInitProducerId>},
    {ApiKey::kOffsetForLeaderEpoch,
     Decoded<wire::DecodeOffsetForLeaderEpochRequest, AnswerOffsetForLeaderEpoch>},
    {ApiKey::kDescribeConfigs, Decoded<wire::DecodeDescribeConfigsRequest, AnswerDescribeConfigs>},
    {ApiKey::kCreatePartitions,
     Decoded<wire::DecodeCreatePartitionsRequest, AnswerCreatePartitions>},
});

// A version that is too new is answered as version 0, which every client can read (KIP-511).
Bytes RefuseApiVersions(const RequestHeader& header) {
  wire::ApiVersionsResponse response;
  response.error_code = CodeOf(wire::ProtocolError::kUnsupportedVersion);
  response.apis = OfferedRequests();
  return wire::EncodeResponseFrame(header.correlation_id, 0, response);
}

}  // namespace

std::vector<wire::ApiVersionsResponse::Api> OfferedRequests() {
  std::vector<wire::ApiVersionsResponse::Api> offered;
  for (const Route& route : kRoutes) {
    offered.push_back({static_cast<std::int16_t>(route.api), wire::SupportedVersions(route.api)});
  }
  return offered;
}

Result<Bytes> AnswerRequest(ByteView frame, BrokerState& state, const Endpoint& endpoint,
                            const std::stop_token& stop) {
  ByteView body;
  FRAZIL_ASSIGN_OR_RETURN(const RequestHeader header, wire::DecodeRequestHeader(frame, body));
  const wire::VersionRange range = wire::SupportedVersions(header.api);
  if (header.version < range.first || header.version > range.last) {
    if (header.api == ApiKey::kApiVersions) return RefuseApiVersions(header);
    return Error(ErrorCode::kUnsupported, "The embedded broker does not offer version " +
                                              std::to_string(header.version) + " of " +
                                              std::string(wire::NameOf(header.api)) + ".");
  }
  const auto* route = std::ranges::find(kRoutes, header.api, &Route::api);
  if (route == kRoutes.end()) {
    return Error(ErrorCode::kUnsupported, "The embedded broker does not offer " +
                                              std::string(wire::NameOf(header.api)) + ".");
  }
  return route->answer(header, body, {state, endpoint, header.version, stop});
}

}  // namespace frazil::kafka::broker
