// SPDX-License-Identifier: Apache-2.0
// The catalog of the tables that are computed from Kafka.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "table/speed_table.h"
#include "table/table_catalog.h"

namespace frazil::table {

class VirtualCatalog final : public TableCatalog {
 public:
  // `topics`: each a topic's name (IsTopicName), none twice.
  VirtualCatalog(std::vector<std::string> topics, const TableContext& context);

  std::vector<std::string> Namespaces() const override;
  Result<std::vector<std::string>> ListTables(const std::string& namespace_name) const override;
  Result<LoadedTable> LoadTable(const std::string& namespace_name, const std::string& name,
                                SnapshotSelection selection, Deadline deadline,
                                const std::stop_token& stop) override;
  Status CheckTable(const std::string& namespace_name, const std::string& name) const override;
  Result<ObjectInfo> StatObject(std::string_view key) override;
  Result<Object> ReadObject(std::string_view key, Deadline deadline,
                            const std::stop_token& stop) override;
  Result<ObjectListing> ListObjects(std::string_view prefix, std::string_view start_after,
                                    std::size_t limit) override;

 private:
  // A topic's table once somebody asked for it, and the lock that its entering takes.
  struct Slot {
    Mutex mutex;
    std::unique_ptr<SpeedTable> table FRAZIL_GUARDED_BY(mutex);
  };

  // Null when the ledger does not know the table.
  Result<SpeedTable*> OpenTable(const std::string& topic);
  Result<SpeedTable*> OpenOrCreate(const std::string& topic, Deadline deadline,
                                   const std::stop_token& stop);
  SpeedTable* Keep(const std::string& topic, std::unique_ptr<SpeedTable> table);
  Result<SpeedTable*> OwnerOfKey(std::string_view key);

  const std::vector<std::string> topics_;
  const TableContext context_;
  std::map<std::string, Slot, std::less<>> slots_;
};

}  // namespace frazil::table
