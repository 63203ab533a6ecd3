// SPDX-License-Identifier: Apache-2.0
#include "ledger/partition_vector.h"

#include <limits>
#include <optional>

namespace frazil::ledger {
namespace {

constexpr std::uint64_t kForm = 1;
// Of one partition: five numbers of at least a byte.
constexpr std::size_t kShortestEntry = 5;

void AppendNumber(std::uint64_t value, Bytes& to) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 0x80));
  to.push_back(static_cast<std::uint8_t>(value));
}

void AppendSigned(std::int64_t value, Bytes& to) {
  AppendNumber((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63),
               to);
}

// Reads numbers; what does not fit is remembered.
class NumberReader {
 public:
  explicit NumberReader(ByteView bytes) : bytes_(bytes) {}

  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) break;
      const std::uint8_t byte = bytes_[at_++];
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  // From `lowest` to `highest`.
  std::int64_t Signed(std::int64_t lowest, std::int64_t highest) {
    const std::uint64_t bits = Number();
    const auto value = static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
    if (value < lowest || value > highest) ok_ = false;
    return ok_ ? value : 0;
  }
  // From 0 to `highest`.
  std::int64_t Unsigned(std::int64_t highest) {
    const std::uint64_t value = Number();
    if (value > static_cast<std::uint64_t>(highest)) ok_ = false;
    return ok_ ? static_cast<std::int64_t>(value) : 0;
  }

  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  ByteView bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

constexpr std::int64_t kHighestInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kHighestLong = std::numeric_limits<std::int64_t>::max();

// nullopt for what cannot follow `previous`.
std::optional<CutPartition> ReadPartition(NumberReader& reader, const CutPartition* previous) {
  const std::int64_t generation_before = previous == nullptr ? 0 : previous->generation.value();
  const std::int64_t partition_before = previous == nullptr ? 0 : previous->partition.value();
  const std::int64_t generation =
      generation_before + reader.Unsigned(kHighestInt - generation_before);
  const std::int64_t partition =
      partition_before + reader.Signed(-partition_before, kHighestInt - partition_before);
  const std::int64_t epoch_and_closed = reader.Signed(-2, 2 * kHighestInt + 1);
  const std::int64_t start = reader.Unsigned(kHighestLong);
  const std::int64_t end = start + reader.Unsigned(kHighestLong - start);
  if (!reader.ok()) return std::nullopt;
  CutPartition read{.generation = Generation(static_cast<std::int32_t>(generation)),
                    .partition = PartitionId(static_cast<std::int32_t>(partition)),
                    .epoch = LeaderEpoch(static_cast<std::int32_t>(epoch_and_closed >> 1)),
                    .start = Offset(start),
                    .end = Offset(end),
                    .closed = (epoch_and_closed & 1) != 0};
  if (previous != nullptr && read.generation == previous->generation &&
      read.partition <= previous->partition) {
    return std::nullopt;
  }
  return read;
}

}  // namespace

Bytes EncodePartitions(const std::vector<CutPartition>& partitions) {
  Bytes bytes;
  AppendNumber(kForm, bytes);
  AppendNumber(partitions.size(), bytes);
  std::int64_t generation = 0;
  std::int64_t partition = 0;
  for (const CutPartition& entry : partitions) {
    AppendNumber(static_cast<std::uint64_t>(entry.generation.value() - generation), bytes);
    AppendSigned(entry.partition.value() - partition, bytes);
    AppendSigned(std::int64_t{entry.epoch.value()} * 2 + (entry.closed ? 1 : 0), bytes);
    AppendNumber(static_cast<std::uint64_t>(entry.start.value()), bytes);
    AppendNumber(static_cast<std::uint64_t>(entry.end - entry.start), bytes);
    generation = entry.generation.value();
    partition = entry.partition.value();
  }
  return bytes;
}

Result<std::vector<CutPartition>> DecodePartitions(ByteView bytes) {
  const Error broken(ErrorCode::kCorruptData,
                     "the partitions of a cut in the ledger cannot be read; put back a copy of it");
  NumberReader reader(bytes);
  if (reader.Number() != kForm) return broken;
  const std::uint64_t count = reader.Number();
  if (!reader.ok() || count > reader.left() / kShortestEntry) return broken;
  std::vector<CutPartition> partitions;
  partitions.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto read = ReadPartition(reader, partitions.empty() ? nullptr : &partitions.back());
    if (!read) return broken;
    partitions.push_back(*read);
  }
  if (reader.left() != 0) return broken;
  return partitions;
}

}  // namespace frazil::ledger
