// SPDX-License-Identifier: Apache-2.0
#include "table/object_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/encoding.h"
#include "base/sha256.h"
#include "decode/kafka_columns.h"
#include "table/table_catalog.h"

namespace frazil::table {
namespace {

std::string UrlPrefix() { return fmt::format("s3://{}/", kBucket); }

}  // namespace

std::string TableIdentity::KeyPrefix() const {
  return fmt::format("{}/{}/{}", namespace_name, topic, uuid.ToString());
}

std::string TableIdentity::Location() const { return UrlOf(KeyPrefix()); }

std::string UrlOf(std::string_view key) { return UrlPrefix() + std::string(key); }

std::string_view KeyOf(std::string_view url) { return url.substr(UrlPrefix().size()); }

std::string DecodeFingerprint(decode::ValueFormat format) {
  const std::string input = fmt::format(
      "mapping={};value={};framing={};key=binary;settings=;rejected=", decode::kMappingVersion,
      decode::NameOf(format), format == decode::ValueFormat::kAvro ? "confluent-v0" : "none");
  const Sha256Digest digest = Sha256(AsBytes(input));
  return HexEncode(ByteView(digest).first(8));
}

std::string ChunkKey(const TableIdentity& table, decode::ValueFormat format,
                     const ChunkRange& range, SchemaVersion schema_version, int encoder_version,
                     const Sha256Digest* content) {
  const std::string tag = content == nullptr ? "" : "-c" + HexEncode(ByteView(*content).first(8));
  return fmt::format("{}/data/g{}-p{}-{:020}-{:020}-f{}-s{}-x-all-e{}{}.parquet", table.KeyPrefix(),
                     range.generation.value(), range.partition.value(), range.start.value(),
                     range.end.value(), DecodeFingerprint(format), schema_version.value(),
                     encoder_version, tag);
}

std::string MetadataKey(const TableIdentity& table, std::int64_t state, std::string_view nonce,
                        int writer_version) {
  const std::string input =
      fmt::format("{}|{}|{}|{}", table.uuid.ToString(), state, nonce, writer_version);
  const Sha256Digest digest = Sha256(AsBytes(input));
  Uuid name;
  std::copy_n(digest.begin(), name.bytes.size(), name.bytes.begin());
  return fmt::format("{}/metadata/{:05}-{}.metadata.json", table.KeyPrefix(), state,
                     name.ToString());
}

std::string ManifestListKey(const TableIdentity& table, SnapshotId snapshot, CutNumber cut,
                            std::string_view nonce, int writer_version) {
  return fmt::format("{}/metadata/snap-{}-{}-{}-w{}.avro", table.KeyPrefix(), snapshot.value(),
                     cut.value(), nonce, writer_version);
}

std::string ManifestKey(const TableIdentity& table, CutNumber cut, std::string_view nonce,
                        int writer_version) {
  return fmt::format("{}/metadata/m-{}-{}-w{}.avro", table.KeyPrefix(), cut.value(), nonce,
                     writer_version);
}

SnapshotId MakeSnapshotId(const Uuid& table, CutNumber cut, std::string_view nonce) {
  const std::string input = fmt::format("{}|{}|{}", table.ToString(), cut.value(), nonce);
  const Sha256Digest digest = Sha256(AsBytes(input));
  const auto bits = LoadBigEndian<std::uint64_t>(digest.data());
  return SnapshotId(static_cast<std::int64_t>(bits >> 1) | 1);
}

Result<ObjectOwner> OwnerOf(std::string_view key) {
  const auto fail = [key] {
    return Error(ErrorCode::kNotFound, "no table has an object of this name: " + Printable(key));
  };
  const auto first = key.find('/');
  if (first == std::string_view::npos) return fail();
  const auto second = key.find('/', first + 1);
  if (second == std::string_view::npos) return fail();
  const auto third = key.find('/', second + 1);
  if (third == std::string_view::npos) return fail();
  const auto uuid = Uuid::Parse(key.substr(second + 1, third - second - 1));
  if (!uuid.ok()) return fail();
  return ObjectOwner{.namespace_name = std::string(key.substr(0, first)),
                     .topic = std::string(key.substr(first + 1, second - first - 1)),
                     .table_uuid = *uuid};
}

bool IsTopicName(std::string_view name) {
  constexpr std::size_t kLongest = 249;
  if (name.empty() || name.size() > kLongest || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

}  // namespace frazil::table
