// SPDX-License-Identifier: Apache-2.0
// Messages against bytes that another implementation made.
#pragma once

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

// The file: name of a message -> version -> body in hexadecimal.
inline nlohmann::json ReadGolden(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

template <typename Message>
std::string EncodeHex(const Message& message, std::int16_t version) {
  Bytes bytes;
  EncodeBody(message, version, bytes);
  return HexEncode(bytes);
}

// The message encodes to what another implementation makes of it, and what is decoded from that
// encodes to the same again; every truncation and one byte more is an error. `bodies`: version ->
// body.
template <typename Message, typename Decode>
void CompareWithBodies(const nlohmann::json& bodies, const Message& message, Decode decode) {
  const VersionRange range = SupportedVersions(Message::kApi);
  ASSERT_EQ(bodies.size(), static_cast<std::size_t>(range.last - range.first + 1));
  for (std::int16_t version = range.first; version <= range.last; ++version) {
    SCOPED_TRACE("version " + std::to_string(version));
    const std::string golden = bodies.at(std::to_string(version));
    EXPECT_EQ(EncodeHex(message, version), golden);
    const Bytes bytes = *HexDecode(golden);
    const auto decoded = decode(bytes, version);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    EXPECT_EQ(EncodeHex(*decoded, version), golden);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode(ByteView(bytes).first(size), version).ok()) << size;
    }
    Bytes longer = bytes;
    longer.push_back(0);
    EXPECT_FALSE(decode(longer, version).ok());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      Bytes bad = bytes;
      bad[i] ^= 0xff;
      IgnoreError(decode(bad, version));
    }
  }
}

}  // namespace frazil::kafka::wire
