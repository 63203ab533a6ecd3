// SPDX-License-Identifier: Apache-2.0
#include "ledger/ledger_tables.h"

#include <array>
#include <utility>

#include "base/random.h"

namespace frazil::ledger {
namespace {

// "Frzl".
constexpr std::int64_t kApplicationId = 0x46727a6c;
constexpr std::size_t kSecretLength = 32;

// Names of enumerations stand as texts, so that their numbers may change. Offsets and stamps are
// integers. A column that nothing fills yet says what for: rows of today then keep their meaning
// when it is filled.
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
  next_field_id INTEGER NOT NULL
) STRICT;

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
) STRICT, WITHOUT ROWID;

CREATE TABLE writer_references (
  topic_key INTEGER NOT NULL,
  writer_schema_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (topic_key, writer_schema_id, position),
  FOREIGN KEY (topic_key, writer_schema_id) REFERENCES writers
) STRICT, WITHOUT ROWID;

CREATE TABLE tables (
  table_key INTEGER PRIMARY KEY,
  topic_key INTEGER NOT NULL REFERENCES topics,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  UNIQUE (namespace, name)
) STRICT;

CREATE TABLE cuts (
  table_key INTEGER NOT NULL REFERENCES tables,
  number INTEGER NOT NULL CHECK (number >= 1),
  stamp INTEGER NOT NULL,
  schema_version INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  writer_version INTEGER NOT NULL,
  snapshot_id INTEGER NOT NULL,
  operation TEXT NOT NULL,
  listed INTEGER NOT NULL DEFAULT 1,  -- 0: has left the snapshot list, still resolves (R12)
  PRIMARY KEY (table_key, number),
  UNIQUE (table_key, snapshot_id),
  UNIQUE (table_key, stamp)
) STRICT, WITHOUT ROWID;

CREATE TABLE cut_partitions (
  table_key INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL CHECK (end_offset >= start_offset),
  PRIMARY KEY (table_key, cut, generation, partition),
  FOREIGN KEY (table_key, cut) REFERENCES cuts
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
  table_key INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  position INTEGER NOT NULL,          -- in the order in which manifests list them
  kind TEXT NOT NULL DEFAULT 'exact', -- or 'lazy' (R14)
  generation INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  schema_version INTEGER NOT NULL,
  encoder_version INTEGER NOT NULL,
  projection TEXT NOT NULL DEFAULT '',-- '': all columns (R4)
  rejects_fingerprint BLOB,           -- of the frozen list of rejected records (R4, R19)
  content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
  path TEXT NOT NULL,
  record_count INTEGER NOT NULL,
  file_size INTEGER NOT NULL,
  columns TEXT NOT NULL,              -- iceberg::ColumnsToJson
  PRIMARY KEY (table_key, cut, position),
  FOREIGN KEY (table_key, cut) REFERENCES cuts
) STRICT;

CREATE TABLE states (
  table_key INTEGER NOT NULL REFERENCES tables,
  number INTEGER NOT NULL CHECK (number >= 1),
  stamp INTEGER NOT NULL,
  cut INTEGER,                        -- NULL: the table was empty
  schema_version INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  writer_version INTEGER NOT NULL,
  PRIMARY KEY (table_key, number),
  FOREIGN KEY (table_key, cut) REFERENCES cuts
) STRICT, WITHOUT ROWID;
)sql";

Result<std::int64_t> Number(Database& database, std::string_view sql) {
  Query query = database.Prepare(sql);
  FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
  return row ? query.Int(0) : 0;
}

Status Configure(Database& database, const std::string& path, const ConnectionSettings& settings) {
  FRAZIL_RETURN_IF_ERROR(
      database.Execute("PRAGMA busy_timeout = " + std::to_string(settings.busy_timeout.count())));
  {
    Query query = database.Prepare("PRAGMA journal_mode = WAL");
    FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row || query.Text(0) != "wal") {
      return Error(ErrorCode::kLedger,
                   "the ledger needs a local file system with shared memory (SQLite's WAL mode); "
                   "choose another --data-dir: " +
                       path);
    }
  }
  FRAZIL_RETURN_IF_ERROR(
      database.Execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                       "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
                       "PRAGMA journal_size_limit = 67108864;"));
  if (settings.max_page_count > 0) {
    return database.Execute("PRAGMA max_page_count = " + std::to_string(settings.max_page_count));
  }
  return {};
}

Status MakeTables(Database& database) {
  std::array<std::uint8_t, kSecretLength> secret{};
  FillRandom(secret);
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  FRAZIL_RETURN_IF_ERROR(database.Execute(kTables));
  FRAZIL_RETURN_IF_ERROR(database.Prepare("INSERT INTO secrets (name, value) VALUES ('keys', ?)")
                             .Bind(ByteView(secret))
                             .Run());
  FRAZIL_RETURN_IF_ERROR(
      database.Execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                       "; PRAGMA user_version = " + std::to_string(kTablesVersion)));
  return transaction.Commit();
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

}  // namespace

Result<Bytes> PrepareTables(Database& database, const std::string& path,
                            const ConnectionSettings& settings) {
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t version, Number(database, "PRAGMA user_version"));
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t application,
                          Number(database, "PRAGMA application_id"));
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t objects,
                          Number(database, "SELECT count(*) FROM sqlite_schema"));
  const bool is_new = version == 0 && application == 0 && objects == 0;
  if (!is_new && application != kApplicationId) {
    return Error(ErrorCode::kLedger,
                 "the file is another program's database; choose another --data-dir: " + path);
  }
  if (version > kTablesVersion) {
    return Error(
        ErrorCode::kLedger,
        "the ledger was written by a newer Frazil; run that version or a later one: " + path);
  }
  if (!is_new && version < kTablesVersion) {
    return Error(ErrorCode::kLedger,
                 "the ledger is damaged; put back a copy, or move it away and start with a new "
                 "history: " +
                     path);
  }
  FRAZIL_RETURN_IF_ERROR(Configure(database, path, settings));
  if (is_new) FRAZIL_RETURN_IF_ERROR(MakeTables(database));
  return ReadSecret(database, path);
}

}  // namespace frazil::ledger
