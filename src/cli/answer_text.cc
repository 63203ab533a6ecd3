// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text_table.h"

namespace frazil::cli {
namespace {

using Json = nlohmann::json;

constexpr int kDeepestAnswer = 32;

const Json& At(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::string Text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return "-";
}

std::string Text(const Json& object, const char* key) { return Text(At(object, key)); }

std::optional<std::int64_t> Number(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<std::int64_t>();
}

std::string Time(const Json& object, const char* key) {
  const auto number = Number(object, key);
  return number ? TimeText(*number) : "-";
}

// The array's items; nothing where it is no array.
std::vector<Json> Items(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_array() ? value.get<std::vector<Json>>() : std::vector<Json>();
}

Result<Json> Parse(std::string_view body) {
  const auto bounded = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    return depth < kDeepestAnswer;
  };
  Json json = Json::parse(body, bounded, false);
  if (json.is_object()) return json;
  return Error(ErrorCode::kNetwork, "the answer is not that of a Frazil server");
}

std::string TableName(const Json& table) {
  return Text(table, "namespace") + "." + Text(table, "name");
}

std::string RefusalOf(const Json& table) {
  const Json& clash = At(table, "clashes-with");
  if (clash.is_string()) return "the name clashes with topic " + Text(clash);
  const Json& refusal = At(At(table, "loads"), "last-refusal");
  return refusal.is_object() ? Text(refusal, "code") + ": " + Text(refusal, "message") : "-";
}

// The same in a word.
std::string ReasonOf(const Json& table) {
  if (At(table, "clashes-with").is_string()) return RefusalOf(table);
  return Text(At(At(table, "loads"), "last-refusal"), "code");
}

// The tables whose last load was refused, and the record that is the reason where it is one.
std::string RefusalsText(const std::vector<Json>& tables) {
  TextTable refusals({"table", "reason", "partition", "offset", "schema", "time"});
  std::string messages;
  for (const Json& table : tables) {
    const Json& refusal = At(At(table, "loads"), "last-refusal");
    if (!refusal.is_object()) continue;
    refusals.AddRow({TableName(table), Text(refusal, "code"), Text(refusal, "partition"),
                     Text(refusal, "offset"), Text(refusal, "schema-id"),
                     Time(refusal, "time-ms")});
    messages += "  " + Escaped(TableName(table) + ": " + Text(refusal, "message")) + "\n";
  }
  if (refusals.empty()) return {};
  return "\nrefused loads\n" + refusals.ToString("  ") + messages;
}

// What to know of a table's schemas, as sentences; empty: nothing.
std::string SchemaRemark(const Json& table) {
  std::string text;
  if (Number(table, "last-known-schema-since-ms")) {
    text = "the last known schemas serve since " + Time(table, "last-known-schema-since-ms") +
           ", because the registry cannot be reached";
  }
  const Json& notice = At(table, "schema-notice");
  if (notice.is_string()) text += (text.empty() ? "" : "; ") + Text(notice);
  return text;
}

std::string SchemaRemarksText(const std::vector<Json>& tables) {
  std::string text;
  for (const Json& table : tables) {
    const std::string remark = SchemaRemark(table);
    if (!remark.empty()) text += "  " + Escaped(TableName(table) + ": " + remark) + "\n";
  }
  return text.empty() ? text : "\nschemas\n" + text;
}

// "12 behind producer 7", "0", "-".
std::string LagOf(const Json& table) {
  std::int64_t most = -1;
  std::string producer;
  for (const Json& partition : Items(table, "partitions")) {
    const auto records = Number(partition, "open-transaction-records");
    if (!records || *records <= most) continue;
    most = *records;
    producer = At(partition, "producer-id").is_null() ? "" : Text(partition, "producer-id");
  }
  if (most < 0) return "-";
  return producer.empty() ? std::to_string(most)
                          : fmt::format("{} behind producer {}", most, producer);
}

std::string SystemText(const Json& server, const char* name) {
  const Json& system = At(server, name);
  if (!system.is_object()) return "none";
  if (At(system, "reachable") == Json(true)) return Text(system, "address") + "  reachable";
  return Text(system, "address") + "  not reachable: " + Text(At(system, "error"), "message");
}

// "orders-value v3 (schema 12): null | string", "no schema", "-".
std::string OriginText(const Json& column) {
  const Json& origin = At(column, "origin");
  if (!origin.is_object()) return "-";
  std::string text = Text(origin, "subject");
  if (Number(origin, "subject-version")) text += " v" + Text(origin, "subject-version");
  text += fmt::format(" (schema {}, {})", Text(origin, "schema-id"), Text(origin, "format"));
  if (At(origin, "type").is_string()) text += ": " + Text(origin, "type");
  return text;
}

std::string Line(std::string_view name, std::string_view value) {
  return fmt::format("{:<14}{}\n", name, Escaped(value));
}

std::string ColumnsText(const Json& table) {
  TextTable columns({"id", "column", "type", "required", "from"});
  for (const Json& column : Items(table, "columns")) {
    columns.AddRow({Text(column, "id"), Text(column, "name"), Text(column, "type"),
                    Text(column, "required"), OriginText(column)});
  }
  return columns.empty() ? std::string() : "\ncolumns\n" + columns.ToString("  ");
}

std::string PartitionsText(const Json& table) {
  TextTable partitions({"generation", "partition", "shown", "log start", "last stable",
                        "high watermark", "open", "producer"});
  for (const Json& partition : Items(table, "partitions")) {
    partitions.AddRow({Text(partition, "generation"), Text(partition, "partition"),
                       fmt::format("[{}, {})", Text(partition, "start"), Text(partition, "end")),
                       Text(partition, "log-start"), Text(partition, "last-stable"),
                       Text(partition, "high-watermark"),
                       Text(partition, "open-transaction-records"),
                       Text(partition, "producer-id")});
  }
  return partitions.empty() ? std::string() : "\npartitions\n" + partitions.ToString("  ");
}

std::string SnapshotsText(const Json& table) {
  constexpr std::size_t kNewest = 20;
  std::vector<Json> snapshots = Items(table, "snapshots");
  if (snapshots.empty()) return {};
  std::string text = "\nsnapshots\n";
  if (snapshots.size() > kNewest) {
    text +=
        fmt::format("  the newest {} of {}; --output json has all\n", kNewest, snapshots.size());
    snapshots.erase(snapshots.begin(), snapshots.end() - kNewest);
  }
  TextTable rows({"id", "time", "operation", "added", "records", "files"});
  for (const Json& snapshot : snapshots) {
    rows.AddRow({Text(snapshot, "snapshot-id"), Time(snapshot, "timestamp-ms"),
                 Text(snapshot, "operation"), Text(snapshot, "added-records"),
                 Text(snapshot, "total-records"), Text(snapshot, "total-data-files")});
  }
  return text + rows.ToString("  ");
}

std::string LostText(const std::vector<Json>& tables) {
  TextTable lost({"table", "generation", "partition", "offsets", "reason", "noticed"});
  for (const Json& table : tables) {
    for (const Json& range : Items(table, "lost")) {
      lost.AddRow({TableName(table), Text(range, "generation"), Text(range, "partition"),
                   fmt::format("[{}, {})", Text(range, "start"), Text(range, "end")),
                   Text(range, "reason"), Time(range, "time-ms")});
    }
  }
  return lost.empty() ? std::string() : "\nlost records\n" + lost.ToString("  ");
}

}  // namespace

Result<std::string> TopicsText(std::string_view body) {
  FRAZIL_ASSIGN_OR_RETURN(const Json answer, Parse(body));
  TextTable rows({"topic", "partitions", "internal", "table", "remark"});
  for (const Json& topic : Items(answer, "topics")) {
    const Json& clash = At(topic, "clashes-with");
    const std::string table = Text(topic, "table");
    rows.AddRow({Text(topic, "name"), Text(topic, "partitions"), Text(topic, "internal"),
                 table == "-" ? table : "speed." + table,
                 clash.is_string() ? "the name clashes with topic " + Text(clash) : ""});
  }
  return rows.ToString();
}

Result<std::string> TablesText(std::string_view body) {
  FRAZIL_ASSIGN_OR_RETURN(const Json answer, Parse(body));
  TextTable rows({"table", "topic", "records", "files", "last load", "refused"});
  for (const Json& table : Items(answer, "tables")) {
    const Json& snapshot = At(table, "snapshot");
    rows.AddRow({TableName(table), Text(table, "topic"), Text(snapshot, "total-records"),
                 Text(snapshot, "total-data-files"), Time(At(table, "loads"), "last-shown-ms"),
                 RefusalOf(table)});
  }
  return rows.ToString();
}

Result<std::string> TableText(std::string_view body) {
  FRAZIL_ASSIGN_OR_RETURN(const Json table, Parse(body));
  std::string text = Line("table", TableName(table));
  text += Line("topic", Text(table, "topic") + "  id " + Text(table, "topic-id"));
  text += Line("uuid", Text(table, "table-uuid"));
  text += Line("location", Text(table, "location"));
  text += Line("last load", Time(At(table, "loads"), "last-shown-ms"));
  text += Line("refused", RefusalOf(table));
  if (At(table, "kafka-error").is_object()) {
    text += Line("kafka", Text(At(table, "kafka-error"), "message"));
  }
  if (const std::string remark = SchemaRemark(table); !remark.empty()) {
    text += Line("schema", remark);
  }
  if (!At(table, "table-uuid").is_string()) {
    text += "\nThe table was never loaded; its columns and snapshots come with the first load.\n";
  }
  return text + ColumnsText(table) + PartitionsText(table) + SnapshotsText(table) +
         LostText({table});
}

Result<std::string> StatusText(std::string_view body) {
  FRAZIL_ASSIGN_OR_RETURN(const Json server, Parse(body));
  std::string text = Line("frazil", Text(server, "version"));
  const auto started = Number(server, "started-ms");
  const auto now = Number(server, "now-ms");
  if (started && now && *now >= *started) {
    text += Line("up", AgeText(*now - *started) + ", since " + TimeText(*started));
  }
  text += Line("catalog", Text(server, "catalog"));
  text += Line("s3", Text(server, "s3"));
  text += Line("kafka", SystemText(server, "kafka"));
  text += Line("registry", SystemText(server, "registry"));
  if (At(server, "tables-error").is_object()) {
    text += Line("tables", Text(At(server, "tables-error"), "message"));
  }
  const std::vector<Json> tables = Items(server, "tables");
  TextTable rows({"table", "records", "last load", "open", "refused"});
  for (const Json& table : tables) {
    rows.AddRow({TableName(table), Text(At(table, "snapshot"), "total-records"),
                 Time(At(table, "loads"), "last-shown-ms"), LagOf(table), ReasonOf(table)});
  }
  if (!rows.empty()) text += "\n" + rows.ToString();
  return text + RefusalsText(tables) + SchemaRemarksText(tables) + LostText(tables);
}

Error ErrorOf(std::string_view body, int http_status) {
  const auto answer = Parse(body);
  const Json told = answer.ok() ? At(*answer, "error") : Json();
  const std::string code = Text(told, "code");
  for (const ErrorRow& row : ErrorTable()) {
    if (row.name == code) return Error(row.code, Escaped(Text(told, "message")));
  }
  return Error(ErrorCode::kNetwork,
               fmt::format("what answered is no Frazil server of this version: HTTP status {}",
                           http_status));
}

}  // namespace frazil::cli
