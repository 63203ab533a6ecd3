// SPDX-License-Identifier: Apache-2.0
// A table catalog held in memory, for the tests of the protocol edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/sha256.h"
#include "table/table_catalog.h"

namespace frazil::serve {

// One namespace, "speed". Not for several threads at once.
class FakeTableCatalog final : public table::TableCatalog {
 public:
  static constexpr std::int64_t kModified = 1700000000123;

  // Returns the table's location below the bucket: "speed/<name>/<uuid>".
  std::string AddTable(const std::string& name, const Uuid& uuid,
                       std::string metadata_json = "{}") {
    const std::string below = "speed/" + name + "/" + uuid.ToString();
    table::LoadedTable table;
    table.uuid = uuid;
    table.location = "s3://frazil/" + below;
    table.metadata_location = table.location + "/metadata/00001-a.metadata.json";
    table.metadata_json = std::make_shared<const std::string>(std::move(metadata_json));
    tables_[name] = std::move(table);
    return below;
  }

  void SetMetadataLocation(const std::string& name, std::string location) {
    tables_.at(name).metadata_location = std::move(location);
  }

  void AddObject(const std::string& key, Bytes bytes) {
    table::Object object;
    object.info.size = static_cast<std::int64_t>(bytes.size());
    object.info.etag = HexEncode(Sha256(AsBytes(key))).substr(0, 32);
    object.info.last_modified = UnixMillis(kModified);
    object.bytes = std::make_shared<const Bytes>(std::move(bytes));
    objects_[key] = std::move(object);
  }

  // What every call that may fail returns from now on; nullopt: the truth.
  void FailWith(std::optional<Error> error) { failure_ = std::move(error); }

  int loads() const { return loads_; }
  int reads() const { return reads_; }
  table::SnapshotSelection last_selection() const { return last_selection_; }

  std::vector<std::string> Namespaces() const override { return {"speed"}; }

  Result<std::vector<std::string>> ListTables(const std::string& namespace_name,
                                              Deadline /*deadline*/,
                                              const std::stop_token& /*stop*/) override {
    if (failure_) return *failure_;
    if (namespace_name != "speed") {
      return Error(ErrorCode::kNamespaceNotFound, "namespace does not exist: " + namespace_name);
    }
    std::vector<std::string> names;
    names.reserve(tables_.size());
    for (const auto& [name, table] : tables_) names.push_back(name);
    return names;
  }

  Result<table::LoadedTable> LoadTable(const std::string& namespace_name, const std::string& name,
                                       table::SnapshotSelection selection, Deadline deadline,
                                       const std::stop_token& stop) override {
    ++loads_;
    last_selection_ = selection;
    FRAZIL_RETURN_IF_ERROR(CheckTable(namespace_name, name, deadline, stop));
    return tables_.at(name);
  }

  Status CheckTable(const std::string& namespace_name, const std::string& name,
                    Deadline /*deadline*/, const std::stop_token& /*stop*/) override {
    if (failure_) return *failure_;
    if (namespace_name != "speed" || !tables_.contains(name)) {
      return Error(ErrorCode::kTableNotFound,
                   "table does not exist: " + Printable(namespace_name + "." + name));
    }
    return {};
  }

  Result<table::ObjectInfo> StatObject(std::string_view key) override {
    if (failure_) return *failure_;
    const auto found = objects_.find(key);
    if (found == objects_.end()) return Error(ErrorCode::kNotFound, "no object: " + Printable(key));
    return found->second.info;
  }

  Result<table::Object> ReadObject(std::string_view key, Deadline /*deadline*/,
                                   const std::stop_token& /*stop*/) override {
    ++reads_;
    FRAZIL_RETURN_IF_ERROR(StatObject(key));
    return objects_.find(key)->second;
  }

  Result<table::ObjectListing> ListObjects(std::string_view prefix, std::string_view start_after,
                                           std::size_t limit) override {
    if (failure_) return *failure_;
    table::ObjectListing listing;
    for (const auto& [key, object] : objects_) {
      if (!key.starts_with(prefix) || key <= start_after) continue;
      if (listing.objects.size() == limit) {
        listing.truncated = true;
        break;
      }
      listing.objects.push_back({key, object.info});
    }
    return listing;
  }

 private:
  std::map<std::string, table::LoadedTable> tables_;
  std::map<std::string, table::Object, std::less<>> objects_;
  std::optional<Error> failure_;
  int loads_ = 0;
  int reads_ = 0;
  table::SnapshotSelection last_selection_ = table::SnapshotSelection::kAll;
};

}  // namespace frazil::serve
