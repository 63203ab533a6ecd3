// SPDX-License-Identifier: Apache-2.0
#include "ledger/sqlite_ledger.h"

#include <array>
#include <exception>
#include <utility>

#include "base/encoding.h"
#include "base/mutex.h"
#include "base/random.h"
#include "ledger/folder_lock.h"
#include "ledger/history_purge.h"
#include "ledger/history_reader.h"
#include "ledger/ledger_file.h"
#include "ledger/log_checkpointer.h"
#include "ledger/sqlite.h"
#include "ledger/state_recorder.h"
#include "ledger/topic_tables.h"

namespace frazil::ledger {
namespace {

std::string RandomNonce() {
  std::array<std::uint8_t, 4> bytes{};
  FillRandom(bytes);
  return HexEncode(bytes);
}

// One mutex around the connection: calls are short.
class SqliteLedger final : public Ledger {
 public:
  SqliteLedger(FolderLock lock, std::unique_ptr<Database> database,
               std::unique_ptr<LogCheckpointer> checkpointer, Bytes secret, const Clock& clock)
      : lock_(std::move(lock)),
        database_(std::move(database)),
        checkpointer_(std::move(checkpointer)),
        secret_(std::move(secret)),
        nonce_(RandomNonce()),
        clock_(clock) {}

  Bytes Secret() const override { return secret_; }
  std::string BootNonce() const override { return nonce_; }

  Result<std::optional<TopicRow>> FindTopic(const std::string& name) override {
    const MutexLock lock(mutex_);
    return ledger::FindTopic(*database_, name);
  }
  Result<TopicRow> CreateTopic(const std::string& name, const Uuid& topic_id,
                               FieldId next_field_id) override {
    const MutexLock lock(mutex_);
    return ledger::CreateTopic(*database_, name, topic_id, next_field_id);
  }
  Status PinValueFormat(std::int64_t topic_key, const std::string& format) override {
    const MutexLock lock(mutex_);
    return ledger::PinValueFormat(*database_, topic_key, format);
  }
  Result<std::vector<GenerationRow>> Generations(std::int64_t topic_key) override {
    const MutexLock lock(mutex_);
    return ReadGenerations(*database_, topic_key);
  }
  Result<std::optional<TableRow>> FindTable(std::int64_t topic_key,
                                            const std::string& namespace_name) override {
    const MutexLock lock(mutex_);
    return ledger::FindTable(*database_, topic_key, namespace_name);
  }
  Result<TableRow> CreateTable(std::int64_t topic_key, const std::string& namespace_name,
                               const Uuid& uuid) override {
    const MutexLock lock(mutex_);
    return ledger::CreateTable(*database_, topic_key, namespace_name, uuid);
  }
  Result<std::vector<SchemaRow>> Schemas(std::int64_t topic_key) override {
    const MutexLock lock(mutex_);
    return ReadSchemas(*database_, topic_key);
  }
  Result<std::vector<WriterRow>> Writers(std::int64_t topic_key) override {
    const MutexLock lock(mutex_);
    return ReadWriters(*database_, topic_key);
  }
  Status AppendSchemas(std::int64_t topic_key, const std::vector<SchemaRow>& schemas,
                       const std::vector<WriterRow>& writers, FieldId next_field_id) override {
    const MutexLock lock(mutex_);
    return ledger::AppendSchemas(*database_, topic_key, schemas, writers, next_field_id);
  }
  Result<CurrentView> Current(std::int64_t table_key) override {
    const MutexLock lock(mutex_);
    return ReadCurrent(*database_, table_key);
  }
  Result<std::optional<StateView>> FindState(std::int64_t table_key, std::int64_t number) override {
    const MutexLock lock(mutex_);
    return ledger::FindState(*database_, table_key, number);
  }
  Result<std::optional<CutView>> FindCut(std::int64_t table_key, CutNumber number) override {
    const MutexLock lock(mutex_);
    return ledger::FindCut(*database_, table_key, number);
  }
  Result<std::optional<ManifestView>> FindManifest(std::int64_t table_key, CutNumber cut) override {
    const MutexLock lock(mutex_);
    return ledger::FindManifest(*database_, table_key, cut);
  }
  Result<std::optional<ChunkRow>> FindChunk(std::int64_t table_key,
                                            const std::string& path) override {
    const MutexLock lock(mutex_);
    return ledger::FindChunk(*database_, table_key, path);
  }
  Result<std::vector<LostRange>> LostRanges(std::int64_t table_key) override {
    const MutexLock lock(mutex_);
    return ledger::LostRanges(*database_, table_key);
  }
  Result<RecordedState> RecordState(std::int64_t table_key, std::int64_t expected_last_state,
                                    const NewState& state) override {
    const MutexLock lock(mutex_);
    // The clock is read under the mutex, so that stamps follow the order of the states.
    auto recorded = ledger::RecordState(*database_, table_key, expected_last_state, state, nonce_,
                                        clock_.Now());
    if (!recorded.ok() && recorded.error().code() == ErrorCode::kLedger) checkpointer_->Want();
    return recorded;
  }
  Result<std::int64_t> Purge(std::int64_t table_key, std::chrono::milliseconds retention) override {
    const MutexLock lock(mutex_);
    return ledger::Purge(*database_, table_key, retention, clock_.Now());
  }

 private:
  // Let go last, after the connection is closed.
  const FolderLock lock_;
  Mutex mutex_;
  const std::unique_ptr<Database> database_ FRAZIL_GUARDED_BY(mutex_);
  const std::unique_ptr<LogCheckpointer> checkpointer_;
  const Bytes secret_;
  const std::string nonce_;
  const Clock& clock_;
};

}  // namespace

Result<std::unique_ptr<Ledger>> OpenSqliteLedger(const std::string& folder, const Clock& clock,
                                                 const ConnectionSettings& settings) {
  FRAZIL_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::Acquire(folder));
  FRAZIL_ASSIGN_OR_RETURN(OpenedFile file, OpenLedgerFile(folder, settings));
  FRAZIL_ASSIGN_OR_RETURN(
      auto checkpointer,
      LogCheckpointer::Start(LedgerPath(folder), *file.database, LogCheckpointer::Limits()));
  return std::unique_ptr<Ledger>(new SqliteLedger(std::move(lock), std::move(file.database),
                                                  std::move(checkpointer), std::move(file.secret),
                                                  clock));
}

Result<std::unique_ptr<Ledger>> OpenSqliteLedger(const std::string& folder, const Clock& clock) {
  return OpenSqliteLedger(folder, clock, ConnectionSettings{});
}

}  // namespace frazil::ledger
