// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/describe_configs.h"

#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {
namespace {

template <typename Codec, typename Message>
void VisitRequest(Codec& codec, Message& message, std::int16_t version) {
  codec.Array(message.resources, [&codec](auto& resource) {
    codec.Integer(resource.type);
    codec.String(resource.name);
    codec.NullableArray(resource.keys, [&codec](auto& key) { codec.String(key); });
    codec.Tags();
  });
  codec.Boolean(message.include_synonyms);
  if (version >= 3) codec.Boolean(message.include_documentation);
  codec.Tags();
}

template <typename Codec, typename Message>
void VisitConfig(Codec& codec, Message& config, std::int16_t version) {
  codec.String(config.name);
  codec.NullableString(config.value);
  codec.Boolean(config.read_only);
  codec.Integer(config.source);
  codec.Boolean(config.is_sensitive);
  codec.Array(config.synonyms, [&codec](auto& synonym) {
    codec.String(synonym.name);
    codec.NullableString(synonym.value);
    codec.Integer(synonym.source);
    codec.Tags();
  });
  if (version >= 3) codec.Integer(config.type);
  if (version >= 3) codec.NullableString(config.documentation);
  codec.Tags();
}

template <typename Codec, typename Message>
void VisitResponse(Codec& codec, Message& message, std::int16_t version) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.resources, [&codec, version](auto& resource) {
    codec.Integer(resource.error_code);
    codec.NullableString(resource.error_message);
    codec.Integer(resource.type);
    codec.String(resource.name);
    codec.Array(resource.configs,
                [&codec, version](auto& config) { VisitConfig(codec, config, version); });
    codec.Tags();
  });
  codec.Tags();
}

}  // namespace

void EncodeBody(const DescribeConfigsRequest& request, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(request.kApi, version));
  VisitRequest(writer, request, version);
}

void EncodeBody(const DescribeConfigsResponse& response, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(response.kApi, version));
  VisitResponse(writer, response, version);
}

Result<DescribeConfigsRequest> DecodeDescribeConfigsRequest(ByteView body, std::int16_t version) {
  DescribeConfigsRequest request;
  Reader reader(body, IsFlexible(request.kApi, version));
  VisitRequest(reader, request, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("DescribeConfigs request"));
  return request;
}

Result<DescribeConfigsResponse> DecodeDescribeConfigsResponse(ByteView body, std::int16_t version) {
  DescribeConfigsResponse response;
  Reader reader(body, IsFlexible(response.kApi, version));
  VisitResponse(reader, response, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("DescribeConfigs response"));
  return response;
}

}  // namespace frazil::kafka::wire
