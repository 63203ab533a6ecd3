// SPDX-License-Identifier: Apache-2.0
// The first byte picks the message, the second its version; the rest is the body.
#include "kafka/wire/api_versions.h"
#include "kafka/wire/fetch.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/metadata.h"

using namespace frazil;               // NOLINT
using namespace frazil::kafka::wire;  // NOLINT

namespace {

std::int16_t PickVersion(ApiKey api, std::uint8_t byte) {
  const VersionRange range = SupportedVersions(api);
  return static_cast<std::int16_t>(range.first + byte % (range.last - range.first + 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t pick = data[1];
  ByteView body(data + 2, size - 2);
  switch (data[0] % 9) {
    case 0:
      IgnoreError(DecodeApiVersionsRequest(body, PickVersion(ApiKey::kApiVersions, pick)));
      break;
    case 1:
      IgnoreError(DecodeApiVersionsResponse(body, PickVersion(ApiKey::kApiVersions, pick)));
      break;
    case 2:
      IgnoreError(DecodeMetadataRequest(body, PickVersion(ApiKey::kMetadata, pick)));
      break;
    case 3:
      IgnoreError(DecodeMetadataResponse(body, PickVersion(ApiKey::kMetadata, pick)));
      break;
    case 4:
      IgnoreError(DecodeListOffsetsRequest(body, PickVersion(ApiKey::kListOffsets, pick)));
      break;
    case 5:
      IgnoreError(DecodeListOffsetsResponse(body, PickVersion(ApiKey::kListOffsets, pick)));
      break;
    case 6:
      IgnoreError(DecodeFetchRequest(body, PickVersion(ApiKey::kFetch, pick)));
      break;
    case 7:
      IgnoreError(DecodeFetchResponse(body, PickVersion(ApiKey::kFetch, pick)));
      break;
    default:
      IgnoreError(DecodeRequestHeader(body, body));
  }
  return 0;
}
