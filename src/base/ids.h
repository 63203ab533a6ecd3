// SPDX-License-Identifier: Apache-2.0
// Identifiers and quantities as distinct types: made explicitly, and turned back into a number
// only by value().
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace frazil {

template <typename Tag, typename Number>
class StrongNumber {
 public:
  using Rep = Number;

  constexpr StrongNumber() = default;
  constexpr explicit StrongNumber(Number value) : value_(value) {}

  constexpr Number value() const { return value_; }

  friend constexpr auto operator<=>(StrongNumber, StrongNumber) = default;
  friend constexpr StrongNumber operator+(StrongNumber left, Number right) {
    return StrongNumber(left.value_ + right);
  }
  friend constexpr Number operator-(StrongNumber left, StrongNumber right) {
    return left.value_ - right.value_;
  }

 private:
  Number value_ = 0;
};

// One life of a topic's offsets, counted from 0 (R1).
using Generation = StrongNumber<struct GenerationTag, std::int32_t>;
using PartitionId = StrongNumber<struct PartitionIdTag, std::int32_t>;
// A record's place in its partition. Ranges are half open: [start, end).
using Offset = StrongNumber<struct OffsetTag, std::int64_t>;
// Kafka's count of leaders of a partition; -1: not known.
using LeaderEpoch = StrongNumber<struct LeaderEpochTag, std::int32_t>;
using BrokerId = StrongNumber<struct BrokerIdTag, std::int32_t>;
// The registry's number of a writer's schema, as it stands in a framed record.
using WriterSchemaId = StrongNumber<struct WriterSchemaIdTag, std::int32_t>;
// The number of a version of a table's schema (Iceberg's schema-id), counted from 0.
using SchemaVersion = StrongNumber<struct SchemaVersionTag, std::int32_t>;
using FieldId = StrongNumber<struct FieldIdTag, std::int32_t>;
using SnapshotId = StrongNumber<struct SnapshotIdTag, std::int64_t>;
using SequenceNumber = StrongNumber<struct SequenceNumberTag, std::int64_t>;
// The place of a cut in its table's line of cuts, counted from 1.
using CutNumber = StrongNumber<struct CutNumberTag, std::int64_t>;
// A virtual data file in its table's ledger, counted from 1; never used again.
using ChunkId = StrongNumber<struct ChunkIdTag, std::int64_t>;
// Milliseconds since 1970-01-01T00:00:00Z.
using UnixMillis = StrongNumber<struct UnixMillisTag, std::int64_t>;

}  // namespace frazil

template <typename Tag, typename Number>
struct std::hash<frazil::StrongNumber<Tag, Number>> {
  std::size_t operator()(frazil::StrongNumber<Tag, Number> number) const noexcept {
    return std::hash<Number>()(number.value());
  }
};
