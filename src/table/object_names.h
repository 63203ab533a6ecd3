// SPDX-License-Identifier: Apache-2.0
// Names of everything below a table's location. A name says all that its bytes depend on (R4), and
// files that depend on the ledger's history carry the nonce of the process that recorded it (R21).
//
//   speed/<topic>/<table uuid>/data/
//     g<generation>-p<partition>-<start>-<end>-f<fingerprint>-s<schema
//     version>-x-all-e<encoder>.parquet
//       and, where records may change under a chunk (R8), -c<sixteen digits of its bytes' hash>
//       x: exact (a lazy chunk will have l<declared size>); all: every column (or a projection)
//   speed/<topic>/<table uuid>/metadata/
//     <state>-<uuid of uuid, state, nonce and writer>.metadata.json
//     snap-<snapshot id>-<cut>-<nonce>-w<writer>.avro      manifest list
//     m-<cut>-<nonce>-w<writer>.avro                       manifest of the chunks that a cut added
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "base/sha256.h"
#include "base/uuid.h"
#include "decode/value_format.h"

namespace frazil::table {

// Version of the code that writes manifests, manifest lists and metadata files: raised whenever the
// same history would give other bytes.
inline constexpr int kWriterVersion = 1;

struct TableIdentity {
  std::string namespace_name;
  std::string name;
  std::string topic;
  Uuid uuid;

  // "speed/orders/<uuid>", the key prefix of all that is the table's.
  std::string KeyPrefix() const;
  // "s3://frazil/speed/orders/<uuid>".
  std::string Location() const;
};

// "s3://frazil/" + key.
std::string UrlOf(std::string_view key);
// The key of such a URL. Requires: UrlOf made it.
std::string_view KeyOf(std::string_view url);

// Sixteen hexadecimal digits over everything that changes a chunk's bytes beside range, schema and
// encoder: the mapping's version, the formats, the settings of decoding, rejected records.
std::string DecodeFingerprint(decode::ValueFormat format);

struct ChunkRange {
  Generation generation;
  PartitionId partition;
  Offset start;
  Offset end;
};

// `content`: named by the file's hash, too.
std::string ChunkKey(const TableIdentity& table, decode::ValueFormat format,
                     const ChunkRange& range, SchemaVersion schema_version, int encoder_version,
                     const Sha256Digest* content = nullptr);
std::string MetadataKey(const TableIdentity& table, std::int64_t state, std::string_view nonce,
                        int writer_version);
std::string ManifestListKey(const TableIdentity& table, SnapshotId snapshot, CutNumber cut,
                            std::string_view nonce, int writer_version);
std::string ManifestKey(const TableIdentity& table, CutNumber cut, std::string_view nonce,
                        int writer_version);

// A positive id that depends on nothing but its arguments.
SnapshotId MakeSnapshotId(const Uuid& table, CutNumber cut, std::string_view nonce);

struct ObjectOwner {
  std::string namespace_name;
  std::string topic;
  Uuid table_uuid;
};

// Which table a key belongs to. Errors: not_found unless it has the form above.
Result<ObjectOwner> OwnerOf(std::string_view key);

// Whether Kafka allows the name: 1 to 249 of letters, digits, '.', '_', '-', and not "." or "..".
bool IsTopicName(std::string_view name);

}  // namespace frazil::table
