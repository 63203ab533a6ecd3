// SPDX-License-Identifier: Apache-2.0
#include "ledger/sqlite.h"

#include <sqlite3.h>
#include <utility>

#include "ledger/page_hashes.h"

namespace frazil::ledger {

Query::Query(Query&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)),
      statement_(std::exchange(other.statement_, nullptr)),
      bound_(other.bound_),
      bind_code_(other.bind_code_),
      error_(std::move(other.error_)) {}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Query::Check(int code) {
  if (code != SQLITE_OK && bind_code_ == SQLITE_OK) bind_code_ = code;
}

Query& Query::Bind(std::int64_t value) {
  if (statement_ != nullptr) Check(sqlite3_bind_int64(statement_, ++bound_, value));
  return *this;
}

Query& Query::Bind(std::string_view text) {
  if (statement_ == nullptr) return *this;
  // A null pointer would bind NULL.
  const char* from = text.empty() ? "" : text.data();
  Check(
      sqlite3_bind_text64(statement_, ++bound_, from, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Query& Query::Bind(ByteView blob) {
  if (statement_ == nullptr) return *this;
  const void* from = blob.empty() ? static_cast<const void*>("") : blob.data();
  Check(sqlite3_bind_blob64(statement_, ++bound_, from, blob.size(), SQLITE_TRANSIENT));
  return *this;
}

Query& Query::BindNull() {
  if (statement_ != nullptr) Check(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

Result<bool> Query::Step() {
  if (error_.has_value()) return *error_;
  if (bind_code_ != SQLITE_OK) return database_->LastError(bind_code_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->LastError(code);
}

Status Query::Run() {
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return {};
  }
}

std::int64_t Query::Int(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Query::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

ByteView Query::Blob(int column) const {
  const auto* blob = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  if (blob == nullptr) return {};
  return {blob, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Query::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  const char* layer = PageHashLayer();
  if (layer == nullptr) return Error(ErrorCode::kLedger, "there is no memory to open " + path);
  sqlite3* connection = nullptr;
  // No mutex of SQLite's: the ledger has one around the connection.
  const int code = sqlite3_open_v2(path.c_str(), &connection,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, layer);
  std::unique_ptr<Database> database(new Database(connection, path));
  if (connection == nullptr) {
    return Error(ErrorCode::kLedger, "there is no memory to open the ledger " + path);
  }
  sqlite3_extended_result_codes(connection, 1);
  if (code != SQLITE_OK) return database->LastError(code);
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(connection_);
}

Query Database::Prepare(std::string_view sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return {this, found->second};
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Query(LastError(code));
  statements_.emplace(sql, statement);
  return {this, statement};
}

Status Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return LastError(code);
  return {};
}

Status Database::ReserveHashes() {
  FRAZIL_RETURN_IF_ERROR(Execute("PRAGMA page_size = " + std::to_string(kPageSize)));
  int reserved = static_cast<int>(kPageHashLength);
  const int code = sqlite3_file_control(connection_, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  if (code != SQLITE_OK) return LastError(code);
  return {};
}

Status Database::CheckpointLog() {
  const int code =
      sqlite3_wal_checkpoint_v2(connection_, "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  // Somebody else is at it.
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) return LastError(code);
  return {};
}

void Database::OnCommit(std::function<void(int pages)> hook) {
  on_commit_ = std::move(hook);
  const auto call = [](void* database, sqlite3*, const char*, int pages) {
    static_cast<Database*>(database)->on_commit_(pages);
    return SQLITE_OK;
  };
  sqlite3_wal_hook(connection_, on_commit_ ? +call : nullptr, this);
}

std::int64_t Database::Changes() const { return sqlite3_changes64(connection_); }

Error Database::LastError(int code) const {
  const std::string where = path_ + " (SQLite: " + sqlite3_errmsg(connection_) + ")";
  const int kind = code & 0xff;
  if (code == SQLITE_IOERR_DATA || kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB) {
    return Error(ErrorCode::kCorruptData,
                 "the ledger is damaged; put back a copy, or move it away and start with a new "
                 "history: " +
                     where);
  }
  switch (kind) {
    case SQLITE_FULL:
      return Error(ErrorCode::kLedger,
                   "the ledger cannot grow because the disk is full; free some space: " + where);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Error(
          ErrorCode::kLedger,
          "the ledger cannot be written; check the permissions of its folder and files: " + where);
    case SQLITE_CANTOPEN:
      return Error(
          ErrorCode::kLedger,
          "the ledger cannot be opened; check the permissions of its folder and files: " + where);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error(ErrorCode::kLedger,
                   "the ledger is locked by another program; close what has it open: " + where);
    case SQLITE_NOMEM:
      return Error(ErrorCode::kLedger, "there is no memory for the ledger: " + where);
    case SQLITE_IOERR:
      return Error(ErrorCode::kLedger,
                   "the disk fails, or is full, under the ledger; check it: " + where);
    default:
      return Error(ErrorCode::kLedger, "the ledger failed: " + where);
  }
}

Result<Transaction> Transaction::Begin(Database& database) {
  FRAZIL_RETURN_IF_ERROR(database.Prepare("BEGIN IMMEDIATE").Run());
  return Transaction(database);
}

Transaction::~Transaction() {
  // SQLite has rolled back by itself after some failures; a second time is refused, harmlessly.
  if (database_ != nullptr) IgnoreError(database_->Prepare("ROLLBACK").Run());
}

Status Transaction::Commit() {
  FRAZIL_RETURN_IF_ERROR(database_->Prepare("COMMIT").Run());
  database_ = nullptr;
  return {};
}

}  // namespace frazil::ledger
