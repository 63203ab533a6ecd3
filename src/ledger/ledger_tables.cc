// SPDX-License-Identifier: Apache-2.0
#include "ledger/ledger_tables.h"

#include <array>
#include <utility>

#include "base/random.h"

namespace frazil::ledger {
namespace {

constexpr std::size_t kSecretLength = 32;

// Names of enumerations stand as texts, so that their numbers may change. Offsets and stamps are
// integers. What begins with one cut (or state) and ends with another has both; 9223372036854775807
// (kNever) stands for an end that has not come.
constexpr const char* kTables = R"sql(
CREATE TABLE secrets (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE topics (
  topic_key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL,
  topic_id BLOB NOT NULL CHECK (length(topic_id) = 16),
  next_field_id INTEGER NOT NULL,
  value_format TEXT NOT NULL,         -- '': not pinned
  schemas INTEGER NOT NULL            -- how many versions there are
) STRICT;

CREATE TABLE generations (
  topic_key INTEGER NOT NULL REFERENCES topics,
  generation INTEGER NOT NULL,
  topic_id BLOB NOT NULL CHECK (length(topic_id) = 16),
  PRIMARY KEY (topic_key, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE schemas (
  topic_key INTEGER NOT NULL REFERENCES topics,
  version INTEGER NOT NULL,
  writer_schema_id INTEGER NOT NULL,
  schema TEXT NOT NULL,
  PRIMARY KEY (topic_key, version)
) STRICT;

CREATE TABLE writers (
  topic_key INTEGER NOT NULL,
  writer_schema_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  format TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (topic_key, writer_schema_id),
  FOREIGN KEY (topic_key, version) REFERENCES schemas
) STRICT;

CREATE TABLE writer_references (
  topic_key INTEGER NOT NULL,
  writer_schema_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (topic_key, writer_schema_id, position),
  FOREIGN KEY (topic_key, writer_schema_id) REFERENCES writers
) STRICT;

-- With each table the ends of its line.
CREATE TABLE tables (
  table_key INTEGER PRIMARY KEY,
  topic_key INTEGER NOT NULL REFERENCES topics,
  namespace TEXT NOT NULL,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  last_state INTEGER NOT NULL DEFAULT 0,
  last_stamp INTEGER NOT NULL DEFAULT 0,
  last_recorded INTEGER NOT NULL DEFAULT 0,
  last_cut INTEGER NOT NULL DEFAULT 0,
  last_snapshot INTEGER,              -- NULL: no cut yet
  last_chunk INTEGER NOT NULL DEFAULT 0,
  listed INTEGER NOT NULL DEFAULT 0,  -- cuts that the last state lists
  manifests INTEGER NOT NULL DEFAULT 0,   -- in the last cut's list
  lost INTEGER NOT NULL DEFAULT 0,    -- rows of lost_ranges
  first_row INTEGER NOT NULL DEFAULT 1,   -- states before it have no rows any more
  first_whole INTEGER NOT NULL DEFAULT 1, -- states before it may lack their cuts
  UNIQUE (topic_key, namespace)
) STRICT;

CREATE TABLE states (
  table_key INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 1),
  stamp INTEGER NOT NULL,
  recorded INTEGER NOT NULL,          -- the clock, but never falling
  cut INTEGER NOT NULL,               -- 0: the table was empty
  listed INTEGER NOT NULL,            -- cuts that it lists
  schema_version INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  writer_version INTEGER NOT NULL,
  PRIMARY KEY (table_key, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE cuts (
  table_key INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 1),
  stamp INTEGER NOT NULL,
  schema_version INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  writer_version INTEGER NOT NULL,
  snapshot_id INTEGER NOT NULL,
  parent_snapshot_id INTEGER,
  operation TEXT NOT NULL,
  added_files INTEGER NOT NULL,
  added_records INTEGER NOT NULL,
  added_bytes INTEGER NOT NULL,
  removed_files INTEGER NOT NULL,
  removed_records INTEGER NOT NULL,
  removed_bytes INTEGER NOT NULL,
  total_files INTEGER NOT NULL,
  total_records INTEGER NOT NULL,
  total_bytes INTEGER NOT NULL,
  manifests INTEGER NOT NULL,         -- how many its list has
  listed_from INTEGER NOT NULL,       -- the first state that lists it
  listed_until INTEGER NOT NULL,      -- the first one that does not any more (R12)
  PRIMARY KEY (table_key, number),
  UNIQUE (table_key, snapshot_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX cuts_by_listing ON cuts (table_key, listed_until, listed_from);

CREATE TABLE cut_partitions (
  table_key INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  partitions BLOB NOT NULL,           -- EncodePartitions
  PRIMARY KEY (table_key, cut)
) STRICT;

CREATE TABLE manifests (
  table_key INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  until_cut INTEGER NOT NULL,         -- the first cut whose list does not have it any more
  stamp INTEGER NOT NULL,             -- of the cut
  snapshot_id INTEGER NOT NULL,
  schema_version INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  writer_version INTEGER NOT NULL,
  length INTEGER NOT NULL,
  content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
  min_sequence_number INTEGER NOT NULL,
  added_files INTEGER NOT NULL,
  added_records INTEGER NOT NULL,
  added_bytes INTEGER NOT NULL,
  existing_files INTEGER NOT NULL,
  existing_records INTEGER NOT NULL,
  existing_bytes INTEGER NOT NULL,
  deleted_files INTEGER NOT NULL,
  deleted_records INTEGER NOT NULL,
  deleted_bytes INTEGER NOT NULL,
  PRIMARY KEY (table_key, cut)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifests_by_end ON manifests (table_key, until_cut);

CREATE TABLE manifest_entries (
  table_key INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL,               -- 'a'dded, 'e'xisting, 'd'eleted
  chunk INTEGER NOT NULL,
  PRIMARY KEY (table_key, cut, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifest_entries_by_chunk ON manifest_entries (table_key, chunk);

-- Manifests without a row, whose entries wait to be removed.
CREATE TABLE removed_manifests (
  table_key INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  PRIMARY KEY (table_key, cut)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
  table_key INTEGER NOT NULL,
  id INTEGER NOT NULL,
  added_cut INTEGER NOT NULL,
  until_cut INTEGER NOT NULL,         -- the first cut whose set does not have it any more
  added_snapshot INTEGER NOT NULL,
  added_stamp INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  schema_version INTEGER NOT NULL,
  encoder_version INTEGER NOT NULL,
  content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
  path_hash INTEGER NOT NULL,         -- the first 8 bytes of SHA-256
  path TEXT NOT NULL,
  record_count INTEGER NOT NULL,
  file_size INTEGER NOT NULL,
  columns TEXT NOT NULL,              -- iceberg::ColumnsToJson
  PRIMARY KEY (table_key, id)
) STRICT;
CREATE INDEX chunks_by_path ON chunks (table_key, path_hash);
CREATE INDEX chunks_by_end ON chunks (table_key, until_cut, id);

CREATE TABLE lost_ranges (
  table_key INTEGER NOT NULL,
  position INTEGER NOT NULL,          -- from 1
  generation INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  reason TEXT NOT NULL,
  stamp INTEGER NOT NULL,
  PRIMARY KEY (table_key, position)
) STRICT, WITHOUT ROWID;
)sql";

Status UseLog(Database& database, const std::string& path) {
  Query query = database.Prepare("PRAGMA journal_mode = WAL");
  FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
  if (row && query.Text(0) == "wal") return {};
  return Error(ErrorCode::kLedger,
               "the ledger needs a local file system with shared memory (SQLite's WAL mode); "
               "choose another --data-dir: " +
                   path);
}

}  // namespace

Status Configure(Database& database, const std::string& path, const ConnectionSettings& settings) {
  FRAZIL_RETURN_IF_ERROR(
      database.Execute("PRAGMA busy_timeout = " + std::to_string(settings.busy_timeout.count())));
  FRAZIL_RETURN_IF_ERROR(UseLog(database, path));
  FRAZIL_RETURN_IF_ERROR(
      database.Execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                       "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
                       "PRAGMA cache_size = -16384; PRAGMA journal_size_limit = 67108864;"));
  if (settings.max_page_count > 0) {
    return database.Execute("PRAGMA max_page_count = " + std::to_string(settings.max_page_count));
  }
  return {};
}

Status MakeTables(Database& database, const std::string& path) {
  std::array<std::uint8_t, kSecretLength> secret{};
  FillRandom(secret);
  FRAZIL_RETURN_IF_ERROR(database.ReserveHashes());
  FRAZIL_RETURN_IF_ERROR(database.Execute("PRAGMA synchronous = FULL"));
  {
    FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
    FRAZIL_RETURN_IF_ERROR(database.Execute(kTables));
    FRAZIL_RETURN_IF_ERROR(database.Prepare("INSERT INTO secrets (name, value) VALUES ('keys', ?)")
                               .Bind(ByteView(secret))
                               .Run());
    FRAZIL_RETURN_IF_ERROR(
        database.Execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                         "; PRAGMA user_version = " + std::to_string(kTablesVersion)));
    FRAZIL_RETURN_IF_ERROR(transaction.Commit());
  }
  FRAZIL_RETURN_IF_ERROR(UseLog(database, path));
  return database.Execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<Bytes> ReadSecret(Database& database, const std::string& path) {
  Query query = database.Prepare("SELECT value FROM secrets WHERE name = 'keys'");
  FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
  const ByteView secret = row ? query.Blob(0) : ByteView();
  if (secret.size() != kSecretLength) {
    return Error(ErrorCode::kCorruptData,
                 "the ledger has lost its secret; put back a copy, or move it away and start with "
                 "a new history: " +
                     path);
  }
  return Bytes(secret.begin(), secret.end());
}

}  // namespace frazil::ledger
