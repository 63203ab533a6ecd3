// SPDX-License-Identifier: Apache-2.0
#include "ledger/topic_tables.h"

#include <utility>

#include "base/encoding.h"
#include "ledger/row_reader.h"

namespace frazil::ledger {
namespace {

Error NoTopic(std::int64_t topic_key) {
  return Error(ErrorCode::kInvalidArgument,
               "the ledger has no topic of that key: " + std::to_string(topic_key));
}

Error ElsewhereFirst(const std::string& what, std::int64_t number) {
  return Error(ErrorCode::kConflict, what +
                                         " was recorded first by another; read the topic's "
                                         "schemas again: " +
                                         std::to_string(number));
}

// What a topic's row says of its schemas.
struct SchemaCounts {
  FieldId next_field_id;
  std::int32_t schemas = 0;
};

// nullopt: no such topic.
Result<std::optional<SchemaCounts>> ReadCounts(Database& database, std::int64_t topic_key) {
  Query query = database.Prepare("SELECT next_field_id, schemas FROM topics WHERE topic_key = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(topic_key).Step());
  if (!found) return std::optional<SchemaCounts>();
  RowReader reader(query);
  SchemaCounts counts;
  counts.next_field_id = reader.Number<FieldId>();
  counts.schemas = reader.Number<std::int32_t>();
  FRAZIL_RETURN_IF_ERROR(reader.Check("topics"));
  return std::optional<SchemaCounts>(counts);
}

Status InsertGeneration(Database& database, std::int64_t topic_key, const GenerationRow& row) {
  return database
      .Prepare("INSERT INTO generations (topic_key, generation, topic_id) VALUES (?, ?, ?)")
      .Bind(topic_key)
      .Bind(std::int64_t{row.generation.value()})
      .Bind(ByteView(row.topic_id.bytes))
      .Run();
}

Status InsertSchema(Database& database, std::int64_t topic_key, const SchemaRow& row) {
  return database
      .Prepare(
          "INSERT INTO schemas (topic_key, version, writer_schema_id, schema) "
          "VALUES (?, ?, ?, ?)")
      .Bind(topic_key)
      .Bind(std::int64_t{row.schema.version.value()})
      .Bind(std::int64_t{row.writer_schema_id.value()})
      .Bind(std::string_view(iceberg::SchemaToJson(row.schema)))
      .Run();
}

Result<std::optional<SchemaVersion>> VersionOfWriter(Database& database, std::int64_t topic_key,
                                                     WriterSchemaId writer) {
  Query query =
      database.Prepare("SELECT version FROM writers WHERE topic_key = ? AND writer_schema_id = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found,
                          query.Bind(topic_key).Bind(std::int64_t{writer.value()}).Step());
  if (!found) return std::optional<SchemaVersion>();
  RowReader reader(query);
  const auto version = reader.Number<SchemaVersion>();
  FRAZIL_RETURN_IF_ERROR(reader.Check("writers"));
  return std::optional<SchemaVersion>(version);
}

Status InsertWriter(Database& database, std::int64_t topic_key, const WriterRow& row,
                    std::int32_t last_version) {
  if (row.version.value() < 0 || row.version.value() > last_version) {
    return Error(ErrorCode::kInvalidArgument,
                 "a writer's schema is mapped to a schema version that the topic does not have: " +
                     std::to_string(row.version.value()));
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto known,
                          VersionOfWriter(database, topic_key, row.writer_schema_id));
  if (known == row.version) return {};
  if (known.has_value()) {
    return ElsewhereFirst("the writer's schema", row.writer_schema_id.value());
  }
  FRAZIL_RETURN_IF_ERROR(
      database
          .Prepare("INSERT INTO writers (topic_key, writer_schema_id, version, format, text) "
                   "VALUES (?, ?, ?, ?, ?)")
          .Bind(topic_key)
          .Bind(std::int64_t{row.writer_schema_id.value()})
          .Bind(std::int64_t{row.version.value()})
          .Bind(row.format)
          .Bind(row.text)
          .Run());
  std::int64_t position = 0;
  for (const std::string& text : row.references) {
    FRAZIL_RETURN_IF_ERROR(
        database
            .Prepare("INSERT INTO writer_references (topic_key, writer_schema_id, position, text) "
                     "VALUES (?, ?, ?, ?)")
            .Bind(topic_key)
            .Bind(std::int64_t{row.writer_schema_id.value()})
            .Bind(position++)
            .Bind(text)
            .Run());
  }
  return {};
}

Status ReadReferences(Database& database, std::int64_t topic_key, WriterRow& row) {
  Query query = database.Prepare(
      "SELECT text FROM writer_references WHERE topic_key = ? AND writer_schema_id = ? "
      "ORDER BY position");
  query.Bind(topic_key).Bind(std::int64_t{row.writer_schema_id.value()});
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) return {};
    RowReader reader(query);
    row.references.emplace_back(reader.Text());
    FRAZIL_RETURN_IF_ERROR(reader.Check("writer_references"));
  }
}

// The version that the topic has last after these; `last` is that before.
Result<std::int32_t> InsertSchemas(Database& database, std::int64_t topic_key, std::int32_t last,
                                   const std::vector<SchemaRow>& schemas, FieldId next_field_id) {
  bool first = true;
  for (const SchemaRow& row : schemas) {
    const std::int32_t version = row.schema.version.value();
    if (first && version <= last) return ElsewhereFirst("the schema version", version);
    if (version != last + 1) {
      return Error(ErrorCode::kInvalidArgument,
                   "a schema version does not follow the last one: " + std::to_string(version));
    }
    if (iceberg::HighestFieldId(row.schema) >= next_field_id) {
      return Error(ErrorCode::kInvalidArgument,
                   "the counter of field ids stands below a schema's highest id: " +
                       std::to_string(next_field_id.value()));
    }
    FRAZIL_RETURN_IF_ERROR(InsertSchema(database, topic_key, row));
    last = version;
    first = false;
  }
  return last;
}

}  // namespace

Result<std::optional<TopicRow>> FindTopic(Database& database, const std::string& name) {
  Query query = database.Prepare(
      "SELECT topic_key, name, generation, topic_id, next_field_id, value_format FROM topics "
      "WHERE name = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(std::string_view(name)).Step());
  if (!found) return std::optional<TopicRow>();
  RowReader reader(query);
  TopicRow row;
  row.key = reader.Number<std::int64_t>();
  row.name = reader.Text();
  row.generation = reader.Number<Generation>();
  row.topic_id = Uuid{reader.Array<16>()};
  row.next_field_id = reader.Number<FieldId>();
  row.value_format = reader.Text();
  FRAZIL_RETURN_IF_ERROR(reader.Check("topics"));
  return std::optional<TopicRow>(std::move(row));
}

Result<TopicRow> CreateTopic(Database& database, const std::string& name, const Uuid& topic_id,
                             FieldId next_field_id) {
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  FRAZIL_ASSIGN_OR_RETURN(const auto known, FindTopic(database, name));
  if (known.has_value()) {
    return Error(ErrorCode::kConflict,
                 "the ledger already has the topic; read it: " + Printable(name));
  }
  FRAZIL_RETURN_IF_ERROR(
      database
          .Prepare("INSERT INTO topics (name, generation, topic_id, next_field_id, value_format, "
                   "schemas) VALUES (?, 0, ?, ?, '', 0)")
          .Bind(std::string_view(name))
          .Bind(ByteView(topic_id.bytes))
          .Bind(std::int64_t{next_field_id.value()})
          .Run());
  FRAZIL_ASSIGN_OR_RETURN(auto created, FindTopic(database, name));
  if (!created.has_value()) return Error(ErrorCode::kInternal, "a new topic was not found again");
  FRAZIL_RETURN_IF_ERROR(InsertGeneration(database, created->key,
                                          {.generation = Generation(0), .topic_id = topic_id}));
  FRAZIL_RETURN_IF_ERROR(transaction.Commit());
  return *std::move(created);
}

Status PinValueFormat(Database& database, std::int64_t topic_key, const std::string& format) {
  if (format.empty()) {
    return Error(ErrorCode::kInvalidArgument, "a value format has a name; give one");
  }
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  std::string pinned;
  {
    Query query = database.Prepare("SELECT value_format FROM topics WHERE topic_key = ?");
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(topic_key).Step());
    if (!found) return NoTopic(topic_key);
    pinned = query.Text(0);
  }
  if (pinned == format) return {};
  if (!pinned.empty()) {
    return Error(ErrorCode::kConflict,
                 "the topic's values are read in another way for good; read the topic again: " +
                     Printable(pinned));
  }
  FRAZIL_RETURN_IF_ERROR(database.Prepare("UPDATE topics SET value_format = ? WHERE topic_key = ?")
                             .Bind(std::string_view(format))
                             .Bind(topic_key)
                             .Run());
  return transaction.Commit();
}

Result<std::vector<GenerationRow>> ReadGenerations(Database& database, std::int64_t topic_key) {
  FRAZIL_ASSIGN_OR_RETURN(const auto current, CurrentGeneration(database, topic_key));
  std::vector<GenerationRow> rows;
  if (!current.has_value()) return rows;
  Query query = database.Prepare(
      "SELECT generation, topic_id FROM generations WHERE topic_key = ? ORDER BY generation");
  query.Bind(topic_key);
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) break;
    RowReader reader(query);
    GenerationRow row;
    row.generation = reader.Number<Generation>();
    row.topic_id = Uuid{reader.Array<16>()};
    FRAZIL_RETURN_IF_ERROR(reader.Check("generations"));
    if (row.generation.value() != static_cast<std::int64_t>(rows.size())) {
      return MissingRow("generations");
    }
    rows.push_back(row);
  }
  if (rows.empty() || rows.back().generation != *current) return MissingRow("generations");
  return rows;
}

Status OpenGeneration(Database& database, std::int64_t topic_key, const GenerationRow& row) {
  FRAZIL_ASSIGN_OR_RETURN(const auto current, CurrentGeneration(database, topic_key));
  if (!current.has_value()) return NoTopic(topic_key);
  if (row.generation <= *current) {
    return ElsewhereFirst("the topic's generation", row.generation.value());
  }
  if (row.generation - *current != 1) {
    return Error(ErrorCode::kInvalidArgument,
                 "a generation does not follow the topic's current one: " +
                     std::to_string(row.generation.value()));
  }
  FRAZIL_RETURN_IF_ERROR(InsertGeneration(database, topic_key, row));
  return database.Prepare("UPDATE topics SET generation = ?, topic_id = ? WHERE topic_key = ?")
      .Bind(std::int64_t{row.generation.value()})
      .Bind(ByteView(row.topic_id.bytes))
      .Bind(topic_key)
      .Run();
}

Result<std::optional<Generation>> CurrentGeneration(Database& database, std::int64_t topic_key) {
  Query query = database.Prepare("SELECT generation FROM topics WHERE topic_key = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(topic_key).Step());
  if (!found) return std::optional<Generation>();
  RowReader reader(query);
  const auto generation = reader.Number<Generation>();
  FRAZIL_RETURN_IF_ERROR(reader.Check("topics"));
  return std::optional<Generation>(generation);
}

Result<std::optional<TableRow>> FindTable(Database& database, std::int64_t topic_key,
                                          const std::string& namespace_name) {
  Query query = database.Prepare(
      "SELECT table_key, topic_key, namespace, uuid FROM tables "
      "WHERE topic_key = ? AND namespace = ?");
  query.Bind(topic_key).Bind(std::string_view(namespace_name));
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
  if (!found) return std::optional<TableRow>();
  RowReader reader(query);
  TableRow row;
  row.key = reader.Number<std::int64_t>();
  row.topic_key = reader.Number<std::int64_t>();
  row.namespace_name = reader.Text();
  row.uuid = Uuid{reader.Array<16>()};
  FRAZIL_RETURN_IF_ERROR(reader.Check("tables"));
  return std::optional<TableRow>(std::move(row));
}

Result<TableRow> CreateTable(Database& database, std::int64_t topic_key,
                             const std::string& namespace_name, const Uuid& uuid) {
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  FRAZIL_ASSIGN_OR_RETURN(const auto topic, CurrentGeneration(database, topic_key));
  if (!topic.has_value()) return NoTopic(topic_key);
  FRAZIL_ASSIGN_OR_RETURN(const auto known, FindTable(database, topic_key, namespace_name));
  if (known.has_value()) {
    return Error(ErrorCode::kConflict,
                 "the ledger already has the topic's table; read it: " + Printable(namespace_name));
  }
  FRAZIL_RETURN_IF_ERROR(
      database.Prepare("INSERT INTO tables (topic_key, namespace, uuid) VALUES (?, ?, ?)")
          .Bind(topic_key)
          .Bind(std::string_view(namespace_name))
          .Bind(ByteView(uuid.bytes))
          .Run());
  FRAZIL_ASSIGN_OR_RETURN(auto created, FindTable(database, topic_key, namespace_name));
  FRAZIL_RETURN_IF_ERROR(transaction.Commit());
  if (!created.has_value()) return Error(ErrorCode::kInternal, "a new table was not found again");
  return *std::move(created);
}

Result<std::vector<SchemaRow>> ReadSchemas(Database& database, std::int64_t topic_key) {
  FRAZIL_ASSIGN_OR_RETURN(const auto counts, ReadCounts(database, topic_key));
  const std::size_t expected = counts ? static_cast<std::size_t>(counts->schemas) : 0;
  Query query = database.Prepare(
      "SELECT version, writer_schema_id, schema FROM schemas WHERE topic_key = ? "
      "ORDER BY version");
  query.Bind(topic_key);
  std::vector<SchemaRow> rows;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) break;
    RowReader reader(query);
    const auto version = reader.Number<SchemaVersion>();
    const auto writer = reader.Number<WriterSchemaId>();
    auto schema = iceberg::SchemaFromJson(reader.Text());
    if (!schema.ok()) return schema.error().Within("a schema in the ledger");
    if (schema->version != version) {
      return Error(ErrorCode::kCorruptData,
                   "a schema in the ledger has another version than its "
                   "row: " +
                       std::to_string(version.value()));
    }
    FRAZIL_RETURN_IF_ERROR(reader.Check("schemas"));
    if (version.value() != static_cast<std::int64_t>(rows.size())) return MissingRow("schemas");
    rows.push_back({.schema = std::move(schema).value(), .writer_schema_id = writer});
  }
  if (rows.size() != expected) return MissingRow("schemas");
  return rows;
}

Result<std::vector<WriterRow>> ReadWriters(Database& database, std::int64_t topic_key) {
  Query query = database.Prepare(
      "SELECT writer_schema_id, version, format, text FROM writers WHERE topic_key = ? "
      "ORDER BY writer_schema_id");
  query.Bind(topic_key);
  std::vector<WriterRow> rows;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) break;
    RowReader reader(query);
    WriterRow& row = rows.emplace_back();
    row.writer_schema_id = reader.Number<WriterSchemaId>();
    row.version = reader.Number<SchemaVersion>();
    row.format = reader.Text();
    row.text = reader.Text();
    FRAZIL_RETURN_IF_ERROR(reader.Check("writers"));
  }
  for (WriterRow& row : rows) FRAZIL_RETURN_IF_ERROR(ReadReferences(database, topic_key, row));
  return rows;
}

Status AppendSchemas(Database& database, std::int64_t topic_key,
                     const std::vector<SchemaRow>& schemas, const std::vector<WriterRow>& writers,
                     FieldId next_field_id) {
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  FRAZIL_ASSIGN_OR_RETURN(const auto counts, ReadCounts(database, topic_key));
  if (!counts.has_value()) return NoTopic(topic_key);
  // Ids are given away once (R2): the counter never falls.
  if (next_field_id < counts->next_field_id) {
    return ElsewhereFirst("a higher counter of field ids", counts->next_field_id.value());
  }
  FRAZIL_ASSIGN_OR_RETURN(
      const std::int32_t last,
      InsertSchemas(database, topic_key, counts->schemas - 1, schemas, next_field_id));
  for (const WriterRow& row : writers) {
    FRAZIL_RETURN_IF_ERROR(InsertWriter(database, topic_key, row, last));
  }
  FRAZIL_RETURN_IF_ERROR(
      database.Prepare("UPDATE topics SET next_field_id = ?, schemas = ? WHERE topic_key = ?")
          .Bind(std::int64_t{next_field_id.value()})
          .Bind(std::int64_t{last} + 1)
          .Bind(topic_key)
          .Run());
  return transaction.Commit();
}

}  // namespace frazil::ledger
