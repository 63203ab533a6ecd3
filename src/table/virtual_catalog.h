// SPDX-License-Identifier: Apache-2.0
// The catalog of the tables that are computed from Kafka.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "table/speed_table.h"
#include "table/table_catalog.h"
#include "table/table_description.h"
#include "table/topic_directory.h"
#include "table/topic_selection.h"

namespace frazil::table {

class VirtualCatalog final : public TableCatalog {
 public:
  VirtualCatalog(TopicSelection selection, const TableContext& context);

  std::vector<std::string> Namespaces() const override;
  Result<std::vector<std::string>> ListTables(const std::string& namespace_name, Deadline deadline,
                                              const std::stop_token& stop) override;
  Result<LoadedTable> LoadTable(const std::string& namespace_name, const std::string& name,
                                SnapshotSelection selection, Deadline deadline,
                                const std::stop_token& stop) override;
  Status CheckTable(const std::string& namespace_name, const std::string& name, Deadline deadline,
                    const std::stop_token& stop) override;
  Result<ObjectInfo> StatObject(std::string_view key) override;
  Result<Object> ReadObject(std::string_view key, Deadline deadline,
                            const std::stop_token& stop) override;
  Result<ObjectListing> ListObjects(std::string_view prefix, std::string_view start_after,
                                    std::size_t limit) override;

  TopicDirectory& directory() { return directory_; }
  // A table by its name as it was listed last; a topic of the settings where nothing was.
  ListedTopic Listed(const std::string& name) const;
  // How this topic's loads ended. Asks nobody.
  LoadHistory LoadsOf(const std::string& topic) const;
  // Null when the ledger does not know the table. Errors: ledger, corrupt_data.
  Result<SpeedTable*> OpenTable(const std::string& topic);

 private:
  // A topic's table once it was opened. Never dropped: callers hold pointers.
  struct Slot {
    Mutex mutex;
    std::unique_ptr<SpeedTable> table FRAZIL_GUARDED_BY(mutex);
    LoadHistory loads FRAZIL_GUARDED_BY(mutex);
  };

  // The topic of a table that may be loaded. Errors: table_not_found, ambiguous_name, and those of
  // listing where the name was not known.
  Result<std::string> FindTopic(const std::string& namespace_name, const std::string& name,
                                Deadline deadline, const std::stop_token& stop);
  Slot& SlotOf(const std::string& topic);
  void Note(const std::string& topic, const SpeedTable* table, const Result<LoadedTable>& loaded);
  // Sets the metric of all tables (R7) after a load of this one.
  void NoteOpenTransactions(const std::string& topic, const SpeedTable& table);
  Result<SpeedTable*> OpenOrCreate(const std::string& topic, Deadline deadline,
                                   const std::stop_token& stop);
  SpeedTable* Keep(const std::string& topic, std::unique_ptr<SpeedTable> table);
  Result<SpeedTable*> OwnerOfKey(std::string_view key);
  // Topics whose tables may hold keys with the prefix.
  std::set<std::string> TopicsOfPrefix(std::string_view prefix) const;

  const TableContext context_;
  TopicDirectory directory_;
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<Slot>, std::less<>> slots_ FRAZIL_GUARDED_BY(mutex_);
  // Of the topics where there are some.
  std::map<std::string, std::int64_t> open_records_ FRAZIL_GUARDED_BY(mutex_);
};

}  // namespace frazil::table
