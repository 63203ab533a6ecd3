// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/describe_configs.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kRequest = [](auto& codec, auto& message, std::int16_t version) {
  codec.Array(message.resources, [&codec](auto& resource) {
    codec.Integer(resource.type);
    codec.String(resource.name);
    codec.NullableArray(resource.keys, [&codec](auto& key) { codec.String(key); });
    codec.Tags();
  });
  codec.Boolean(message.include_synonyms);
  if (version >= 3) codec.Boolean(message.include_documentation);
  codec.Tags();
};

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

constexpr auto kResponse = [](auto& codec, auto& message, std::int16_t version) {
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
};

}  // namespace

void EncodeBody(const DescribeConfigsRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kRequest);
}

void EncodeBody(const DescribeConfigsResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kResponse);
}

Result<DescribeConfigsRequest> DecodeDescribeConfigsRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<DescribeConfigsRequest>(body, version, "DescribeConfigs request", kRequest);
}

Result<DescribeConfigsResponse> DecodeDescribeConfigsResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<DescribeConfigsResponse>(body, version, "DescribeConfigs response",
                                                kResponse);
}

}  // namespace frazil::kafka::wire
