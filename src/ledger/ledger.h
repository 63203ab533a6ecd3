// SPDX-License-Identifier: Apache-2.0
// The ledger: what was ever shown, so that it can be shown again. Tables and their field ids, the
// versions of their schemas, cuts, chunks, and table states (one for each metadata file).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/sha256.h"
#include "base/uuid.h"
#include "iceberg/data_file.h"
#include "iceberg/schema.h"
#include "iceberg/table_metadata.h"

namespace frazil::ledger {

// A topic: one counter of field ids, one history of schemas and generations for all its tables.
struct TopicRow {
  std::int64_t key = 0;
  std::string name;
  // The current generation, and the id that the topic had in it (zero: brokers know none).
  Generation generation;
  Uuid topic_id;
  FieldId next_field_id;
};

// A perspective on a topic: speed.orders.
struct TableRow {
  std::int64_t key = 0;
  std::int64_t topic_key = 0;
  std::string namespace_name;
  std::string name;
  Uuid uuid;
};

// A version of a topic's table schema, and the writer's schema that brought it.
struct SchemaRow {
  iceberg::Schema schema;
  WriterSchemaId writer_schema_id;
};

// A writer's schema as the registry gave it, so that records are read again without asking, and
// the table schema version that it was mapped to.
struct WriterRow {
  WriterSchemaId writer_schema_id;
  SchemaVersion version;
  // The registry's word: "AVRO".
  std::string format;
  std::string text;
  // Texts that it uses, each after those that it uses itself.
  std::vector<std::string> references;
};

struct CutPartition {
  Generation generation;
  PartitionId partition;
  LeaderEpoch epoch{-1};
  Offset start;
  Offset end;

  friend bool operator==(const CutPartition&, const CutPartition&) = default;
};

// A virtual data file. `file.path` is its whole URL.
struct ChunkRow {
  Generation generation;
  PartitionId partition;
  Offset start;
  Offset end;
  SchemaVersion schema_version;
  int encoder_version = 0;
  // Hash of the file's bytes: what is made again must have it.
  Sha256Digest content_hash{};
  iceberg::DataFile file;

  friend bool operator==(const ChunkRow&, const ChunkRow&) = default;
};

struct NewCut {
  SnapshotId snapshot_id;
  iceberg::Operation operation = iceberg::Operation::kAppend;
  // The whole vector, ascending by (generation, partition).
  std::vector<CutPartition> partitions;
  // The step's chunks in the order in which manifests list them.
  std::vector<ChunkRow> chunks;
};

struct CutRow {
  CutNumber number;
  UnixMillis stamp;
  SchemaVersion schema_version;
  // Of the process that recorded it; part of the names of manifests and manifest lists (R21).
  std::string nonce;
  // Version of the code that writes manifests and manifest lists (R4).
  int writer_version = 0;
  NewCut cut;
};

// What a load showed: a cut under a schema version. One metadata file each.
struct StateRow {
  std::int64_t number = 0;  // from 1
  UnixMillis stamp;
  // 0: the table was empty, no cut had been recorded.
  CutNumber cut;
  SchemaVersion schema_version;
  std::string nonce;
  int writer_version = 0;
};

struct NewState {
  // Absent: the same cut under another schema version or writer version.
  std::optional<NewCut> cut;
  SchemaVersion schema_version;
  int writer_version = 0;
  // Stamps are at least this far in the past (R10).
  std::chrono::milliseconds backdate{2000};
};

struct RecordedState {
  StateRow state;
  std::optional<CutRow> cut;
};

struct TableHistory {
  std::vector<CutRow> cuts;      // ascending
  std::vector<StateRow> states;  // ascending
};

// Threads: every member may be called from several threads at once.
// Errors of every call: ledger. Stored bytes that cannot be read: corrupt_data.
class Ledger {
 public:
  virtual ~Ledger() = default;

  // 32 random bytes, made once: what vended keys are derived from (R25).
  virtual Bytes Secret() const = 0;
  // Random for each opening, 8 hexadecimal digits (R21).
  virtual std::string BootNonce() const = 0;

  virtual Result<std::optional<TopicRow>> FindTopic(const std::string& name) = 0;
  // conflict when it exists.
  virtual Result<TopicRow> CreateTopic(const std::string& name, const Uuid& topic_id,
                                       FieldId next_field_id) = 0;

  virtual Result<std::optional<TableRow>> FindTable(const std::string& namespace_name,
                                                    const std::string& name) = 0;
  // conflict when it exists.
  virtual Result<TableRow> CreateTable(std::int64_t topic_key, const std::string& namespace_name,
                                       const std::string& name, const Uuid& uuid) = 0;

  virtual Result<std::vector<SchemaRow>> Schemas(std::int64_t topic_key) = 0;
  virtual Result<std::vector<WriterRow>> Writers(std::int64_t topic_key) = 0;
  // In one transaction: new schema versions (their numbers must follow the last one), the writers
  // mapped, the counter raised. conflict when somebody else was first: a version is taken, a writer
  // is mapped to another version (the same one again is fine), the counter stands higher.
  virtual Status AppendSchemas(std::int64_t topic_key, const std::vector<SchemaRow>& schemas,
                               const std::vector<WriterRow>& writers, FieldId next_field_id) = 0;

  virtual Result<TableHistory> History(std::int64_t table_key) = 0;

  // Compare and swap on the table's last state (0: none yet). In one transaction the cut, where
  // there is one, gets the next number, both get the stamp
  // max(last stamp + 1 ms, clock - backdate). Up to and with the table's first cut they are 1, 2,
  // ... ms after 1970, so that its first snapshot lies far in the past (R10). Errors: conflict when
  // `expected_last_state` is no longer the last; invalid_argument for a cut whose starts or ends
  // fall within a generation, or that leaves a partition out (R10), or whose snapshot id another
  // cut of the table has.
  virtual Result<RecordedState> RecordState(std::int64_t table_key,
                                            std::int64_t expected_last_state,
                                            const NewState& state) = 0;
};

// Opens or makes `folder`/ledger.sqlite (WAL, synchronous NORMAL) and holds a lock on the folder.
// Errors: ledger: the folder cannot be made or written, another process holds it, the file is
// damaged, or a newer Frazil has written it; each says what to do.
// Owns: nothing of the clock, which must outlive it.
Result<std::unique_ptr<Ledger>> OpenSqliteLedger(const std::string& folder, const Clock& clock);

}  // namespace frazil::ledger
