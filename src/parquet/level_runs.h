// SPDX-License-Identifier: Apache-2.0
// Small numbers (levels, indices of a dictionary) as one run.
// Spec: Apache Parquet, "Run Length Encoding / Bit-Packing Hybrid". Internal to this module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parquet/slot_bits.h"

namespace frazil::parquet {

// The functions that write may write this many bytes beyond the end that they return.
inline constexpr std::size_t kRunSlack = 8;

// The fewest bits that hold `most`.
int BitWidth(std::uint8_t most);

std::size_t VarintSize(std::uint64_t value);
std::uint8_t* WriteVarint(std::uint64_t value, std::uint8_t* to);

// A run of `count` times one number of up to eight bits. Requires: count > 0.
std::size_t RepeatedRunSize(std::int64_t count);
std::uint8_t* WriteRepeatedRun(std::int64_t count, std::uint8_t value, std::uint8_t* to);

// `count` numbers of `width` bits, 1 to 8, one after another; the last group of eight is filled up
// with zeros.
std::size_t PackedRunSize(std::int64_t count, int width);
std::uint8_t* WritePackedRun(const std::uint8_t* values, std::int64_t count, int width,
                             std::uint8_t* to);
// The bits of slots [begin, end), each as a number of one bit.
std::uint8_t* WritePackedBits(const SlotBits& bits, std::int64_t begin, std::int64_t end,
                              std::uint8_t* to);

}  // namespace frazil::parquet
