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

Status PinValueFormat(Database& database, std::int64_t topic_key, const std::string& format);
Result<std::vector<GenerationRow>> ReadGenerations(Database& database, std::int64_t topic_key);

// The number of the topic's newest generation; nullopt: no such topic.
Result<std::optional<Generation>> CurrentGeneration(Database& database, std::int64_t topic_key);
// Within a transaction of the caller's. Errors: conflict when it is open already; invalid_argument
// when it does not follow the current one.
Status OpenGeneration(Database& database, std::int64_t topic_key, const GenerationRow& row);

Result<std::optional<TableRow>> FindTable(Database& database, std::int64_t topic_key,
                                          const std::string& namespace_name);
Result<TableRow> CreateTable(Database& database, std::int64_t topic_key,
                             const std::string& namespace_name, const Uuid& uuid);

Result<std::vector<SchemaRow>> ReadSchemas(Database& database, std::int64_t topic_key);
Result<std::vector<WriterRow>> ReadWriters(Database& database, std::int64_t topic_key);
Status AppendSchemas(Database& database, std::int64_t topic_key,
                     const std::vector<SchemaRow>& schemas, const std::vector<WriterRow>& writers,
                     FieldId next_field_id);

}  // namespace frazil::ledger
