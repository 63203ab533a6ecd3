// SPDX-License-Identifier: Apache-2.0
// The first byte picks the message, the second its version; the rest is the body.
#include <iterator>

#include "kafka/wire/api_versions.h"
#include "kafka/wire/describe_configs.h"
#include "kafka/wire/describe_producers.h"
#include "kafka/wire/fetch.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/metadata.h"
#include "kafka/wire/offset_for_leader_epoch.h"

using namespace frazil;               // NOLINT
using namespace frazil::kafka::wire;  // NOLINT

namespace {

std::int16_t PickVersion(ApiKey api, std::uint8_t byte) {
  const VersionRange range = SupportedVersions(api);
  return static_cast<std::int16_t>(range.first + byte % (range.last - range.first + 1));
}

using DecodeOne = void (*)(ByteView body, std::uint8_t pick);

template <ApiKey api, auto decode>
void Decode(ByteView body, std::uint8_t pick) {
  IgnoreError(decode(body, PickVersion(api, pick)));
}

// In the order of make_corpus.py.
constexpr DecodeOne kDecoders[] = {
    Decode<ApiKey::kApiVersions, DecodeApiVersionsRequest>,
    Decode<ApiKey::kApiVersions, DecodeApiVersionsResponse>,
    Decode<ApiKey::kMetadata, DecodeMetadataRequest>,
    Decode<ApiKey::kMetadata, DecodeMetadataResponse>,
    Decode<ApiKey::kListOffsets, DecodeListOffsetsRequest>,
    Decode<ApiKey::kListOffsets, DecodeListOffsetsResponse>,
    Decode<ApiKey::kFetch, DecodeFetchRequest>,
    Decode<ApiKey::kFetch, DecodeFetchResponse>,
    [](ByteView body, std::uint8_t) { IgnoreError(DecodeRequestHeader(body, body)); },
    Decode<ApiKey::kOffsetForLeaderEpoch, DecodeOffsetForLeaderEpochRequest>,
    Decode<ApiKey::kOffsetForLeaderEpoch, DecodeOffsetForLeaderEpochResponse>,
    Decode<ApiKey::kDescribeConfigs, DecodeDescribeConfigsRequest>,
    Decode<ApiKey::kDescribeConfigs, DecodeDescribeConfigsResponse>,
    Decode<ApiKey::kDescribeProducers, DecodeDescribeProducersRequest>,
    Decode<ApiKey::kDescribeProducers, DecodeDescribeProducersResponse>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  kDecoders[data[0] % std::size(kDecoders)]({data + 2, size - 2}, data[1]);
  return 0;
}
