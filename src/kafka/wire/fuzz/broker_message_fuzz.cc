// SPDX-License-Identifier: Apache-2.0
// The first byte picks the message, the second its version; the rest is the body.
#include <array>

#include "kafka/wire/group_offsets.h"
#include "kafka/wire/init_producer_id.h"
#include "kafka/wire/produce.h"
#include "kafka/wire/topic_changes.h"

using namespace frazil;               // NOLINT
using namespace frazil::kafka::wire;  // NOLINT

namespace {

struct Decoder {
  ApiKey api;
  void (*decode)(ByteView body, std::int16_t version);
};

template <auto kDecode>
void Ignore(ByteView body, std::int16_t version) {
  IgnoreError(kDecode(body, version));
}

// In the order of make_broker_corpus.py.
constexpr std::array kDecoders = {
    Decoder{ApiKey::kProduce, Ignore<DecodeProduceRequest>},
    Decoder{ApiKey::kProduce, Ignore<DecodeProduceResponse>},
    Decoder{ApiKey::kInitProducerId, Ignore<DecodeInitProducerIdRequest>},
    Decoder{ApiKey::kInitProducerId, Ignore<DecodeInitProducerIdResponse>},
    Decoder{ApiKey::kCreateTopics, Ignore<DecodeCreateTopicsRequest>},
    Decoder{ApiKey::kCreateTopics, Ignore<DecodeCreateTopicsResponse>},
    Decoder{ApiKey::kDeleteTopics, Ignore<DecodeDeleteTopicsRequest>},
    Decoder{ApiKey::kDeleteTopics, Ignore<DecodeDeleteTopicsResponse>},
    Decoder{ApiKey::kCreatePartitions, Ignore<DecodeCreatePartitionsRequest>},
    Decoder{ApiKey::kCreatePartitions, Ignore<DecodeCreatePartitionsResponse>},
    Decoder{ApiKey::kDeleteRecords, Ignore<DecodeDeleteRecordsRequest>},
    Decoder{ApiKey::kDeleteRecords, Ignore<DecodeDeleteRecordsResponse>},
    Decoder{ApiKey::kFindCoordinator, Ignore<DecodeFindCoordinatorRequest>},
    Decoder{ApiKey::kFindCoordinator, Ignore<DecodeFindCoordinatorResponse>},
    Decoder{ApiKey::kOffsetCommit, Ignore<DecodeOffsetCommitRequest>},
    Decoder{ApiKey::kOffsetCommit, Ignore<DecodeOffsetCommitResponse>},
    Decoder{ApiKey::kOffsetFetch, Ignore<DecodeOffsetFetchRequest>},
    Decoder{ApiKey::kOffsetFetch, Ignore<DecodeOffsetFetchResponse>},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Decoder& decoder = kDecoders[data[0] % kDecoders.size()];
  const VersionRange range = SupportedVersions(decoder.api);
  decoder.decode(ByteView(data + 2, size - 2),
                 static_cast<std::int16_t>(range.first + data[1] % (range.last - range.first + 1)));
  return 0;
}
