// SPDX-License-Identifier: Apache-2.0
// Describes the tables of a catalog from what it and the ledger know, and from Kafka where asked.
#pragma once

#include <string>
#include <vector>

#include "table/table_description.h"
#include "table/virtual_catalog.h"

namespace frazil::table {

class TableInspector final : public CatalogInspector {
 public:
  // Both must outlive it.
  TableInspector(VirtualCatalog& catalog, const TableContext& context)
      : catalog_(catalog), context_(context) {}

  Result<std::vector<ListedTopic>> Topics(Deadline deadline, const std::stop_token& stop) override;
  Result<std::vector<TableDescription>> Tables(Detail detail, Deadline deadline,
                                               const std::stop_token& stop) override;
  Result<TableDescription> DescribeTable(const std::string& namespace_name, const std::string& name,
                                         Detail detail, Deadline deadline,
                                         const std::stop_token& stop) override;

 private:
  Result<TableDescription> Describe(const ListedTopic& listed, Detail detail, Deadline deadline,
                                    const std::stop_token& stop);
  Status AddShown(TableDescription& table, Detail detail, Deadline deadline,
                  const std::stop_token& stop);
  Status AddColumns(TableDescription& table, std::int64_t topic_key, Deadline deadline,
                    const std::stop_token& stop);
  void AddKafka(TableDescription& table, Deadline deadline, const std::stop_token& stop);

  VirtualCatalog& catalog_;
  const TableContext context_;
};

}  // namespace frazil::table
