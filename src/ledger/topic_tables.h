// SPDX-License-Identifier: Apache-2.0
// Topics, tables, schemas and writers in the ledger's file. Internal to this module.
// Each function does what the member of Ledger with its name promises.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

Result<std::optional<TopicRow>> FindTopic(Database& database, const std::string& name);
Result<TopicRow> CreateTopic(Database& database, const std::string& name, const Uuid& topic_id,
                             FieldId next_field_id);

Result<std::optional<TableRow>> FindTable(Database& database, const std::string& namespace_name,
                                          const std::string& name);
Result<TableRow> CreateTable(Database& database, std::int64_t topic_key,
                             const std::string& namespace_name, const std::string& name,
                             const Uuid& uuid);

Result<std::vector<SchemaRow>> ReadSchemas(Database& database, std::int64_t topic_key);
Result<std::vector<WriterRow>> ReadWriters(Database& database, std::int64_t topic_key);
Status AppendSchemas(Database& database, std::int64_t topic_key,
                     const std::vector<SchemaRow>& schemas, const std::vector<WriterRow>& writers,
                     FieldId next_field_id);

}  // namespace frazil::ledger
