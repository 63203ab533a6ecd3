// SPDX-License-Identifier: Apache-2.0
// What the protocol edges see of the tables: names, states, and the objects below a location.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/uuid.h"

namespace frazil::table {

// The bucket that all virtual locations lie in.
inline constexpr std::string_view kBucket = "frazil";

enum class SnapshotSelection { kAll, kReferenced };

struct LoadedTable {
  Uuid uuid;
  // "s3://frazil/speed/orders/<uuid>", no slash at the end. Everything of the table lies below it.
  std::string location;
  // Different for every state of the table, the same for the same state, for ever.
  std::string metadata_location;
  std::shared_ptr<const std::string> metadata_json;
};

struct ObjectInfo {
  std::int64_t size = 0;
  // Strong, without quotes; the same for ever, in every process.
  std::string etag;
  UnixMillis last_modified;
};

struct Object {
  ObjectInfo info;
  std::shared_ptr<const Bytes> bytes;
};

struct ListedObject {
  std::string key;
  ObjectInfo info;
};

struct ObjectListing {
  // Keys in byte order.
  std::vector<ListedObject> objects;
  bool truncated = false;
};

// Threads: every member may be called from several threads at once.
class TableCatalog {
 public:
  virtual ~TableCatalog() = default;

  // Names of one level each; "speed".
  virtual std::vector<std::string> Namespaces() const = 0;

  // Names in byte order, as Kafka had them at most a second ago; when it cannot be reached, the
  // last ones known. Errors: namespace_not_found; kafka_* while none are known.
  virtual Result<std::vector<std::string>> ListTables(const std::string& namespace_name,
                                                      Deadline deadline,
                                                      const std::stop_token& stop) = 0;

  // Takes a cut and shows it: every record acknowledged before the call is in it (R7).
  // Errors: table_not_found (also where the namespace does not exist: the metadata tables of Spark
  // and Flink ask for "speed.orders" as a namespace); ambiguous_name; schema_incompatible,
  // undecodable_record, topic_recreated, log_truncated, kafka_*, registry_*, deadline_exceeded,
  // cancelled, ledger.
  virtual Result<LoadedTable> LoadTable(const std::string& namespace_name, const std::string& name,
                                        SnapshotSelection selection, Deadline deadline,
                                        const std::stop_token& stop) = 0;

  // Whether there is such a table, as Kafka has it. Errors: table_not_found; kafka_* for a name
  // that is not known.
  virtual Status CheckTable(const std::string& namespace_name, const std::string& name,
                            Deadline deadline, const std::stop_token& stop) = 0;

  // Objects by key below kBucket ("speed/orders/<uuid>/data/....parquet"). Stat makes no file.
  // Errors: not_found for a path that was never handed out; records_gone, path_not_reproducible,
  // and those of reading Kafka.
  virtual Result<ObjectInfo> StatObject(std::string_view key) = 0;
  virtual Result<Object> ReadObject(std::string_view key, Deadline deadline,
                                    const std::stop_token& stop) = 0;

  // Objects of the current state whose keys begin with `prefix` and come after `start_after`, at
  // most `limit`.
  virtual Result<ObjectListing> ListObjects(std::string_view prefix, std::string_view start_after,
                                            std::size_t limit) = 0;
};

}  // namespace frazil::table
