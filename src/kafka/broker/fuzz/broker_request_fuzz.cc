// SPDX-License-Identifier: Apache-2.0
// Requests to one broker, each behind two bytes of length; a Fetch does not wait.
#include <algorithm>

#include "kafka/broker/requests_internal.h"

using namespace frazil;                 // NOLINT
using namespace frazil::kafka::broker;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SystemClock clock;
  const StateOptions options{
      .store = {.memory_bytes = 1 << 16, .most_topics = 20, .most_partitions = 100},
      .most_committed_offsets = 100,
      .most_fetched_bytes = 1 << 16,
      .longest_wait = std::chrono::milliseconds(0)};
  BrokerState state(options, clock, "cluster", 1);
  const Endpoint endpoint{"127.0.0.1", 9092};
  const std::stop_token never;
  ByteView rest(data, size);
  while (rest.size() >= 2) {
    const std::size_t wanted = LoadBigEndian<std::uint16_t>(rest.data());
    rest = rest.subspan(2);
    const ByteView frame = rest.first(std::min(wanted, rest.size()));
    rest = rest.subspan(frame.size());
    IgnoreError(AnswerRequest(frame, state, endpoint, never));
  }
  return 0;
}
