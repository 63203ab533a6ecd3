// SPDX-License-Identifier: Apache-2.0
// A SQLite connection and its prepared statements. Internal to this module.
//
// Threads: none of these; the owner locks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace frazil::ledger {

class Database;

// One run of a prepared statement: bind in the order of the parameters, step, read the row. What
// Text and Blob give lives until the next step. Resets the statement at its end.
class Query {
 public:
  // A run that gives `error` at its first step.
  explicit Query(Error error) : error_(std::move(error)) {}
  Query(Database* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  ~Query();

  Query& Bind(std::int64_t value);
  Query& Bind(std::string_view text);
  Query& Bind(ByteView blob);
  Query& BindNull();

  // Whether there is a (further) row.
  Result<bool> Step();
  // Runs to the end, for statements that give no rows.
  Status Run();

  // Columns of the current row, from 0. A NULL is 0 or empty.
  std::int64_t Int(int column) const;
  std::string_view Text(int column) const;
  ByteView Blob(int column) const;
  bool IsNull(int column) const;

 private:
  void Check(int code);

  Database* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int bind_code_ = 0;
  std::optional<Error> error_;
};

class Database {
 public:
  // Opens the file, which must exist, through the layer of page hashes. Errors: ledger.
  static Result<std::unique_ptr<Database>> Open(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // A run of `sql`, which is prepared once. Requires: `sql` is a literal (kept by its address), and
  // no other run of the same literal is alive.
  Query Prepare(std::string_view sql);
  // Makes a new file with room for the hash in each page. Before anything else.
  Status ReserveHashes();
  // Several statements that give nothing and need no parameters.
  Status Execute(const std::string& sql);

  // Copies what it can of the write-ahead log into the file, without waiting for anybody.
  Status CheckpointLog();
  // Calls `hook`, with the number of pages in the log, after each commit and in its thread, instead
  // of SQLite's own copying of the log. Null: nothing is called, and nothing copied.
  void OnCommit(std::function<void(int pages)> hook);

  // Rows that the last statement changed.
  std::int64_t Changes() const;

  // SQLite's last failure as an error of ours: corrupt_data for stored bytes that are not what was
  // stored, otherwise ledger.
  Error LastError(int code) const;

 private:
  Database(sqlite3* connection, std::string path)
      : connection_(connection), path_(std::move(path)) {}

  sqlite3* connection_;
  std::string path_;
  std::function<void(int pages)> on_commit_;
  std::unordered_map<std::string_view, sqlite3_stmt*> statements_;
};

// BEGIN IMMEDIATE ... COMMIT; rolls back unless Commit was reached.
class Transaction {
 public:
  static Result<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(other.database_) {
    other.database_ = nullptr;
  }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Status Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;
};

}  // namespace frazil::ledger
