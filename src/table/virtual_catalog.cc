// SPDX-License-Identifier: Apache-2.0
#include "table/virtual_catalog.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "table/object_names.h"

namespace frazil::table {
namespace {

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

VirtualCatalog::VirtualCatalog(std::vector<std::string> topics, const TableContext& context)
    : topics_(Sorted(std::move(topics))), context_(context) {
  for (const std::string& topic : topics_) slots_.try_emplace(topic);
}

std::vector<std::string> VirtualCatalog::Namespaces() const {
  return {std::string(kSpeedNamespace)};
}

Result<std::vector<std::string>> VirtualCatalog::ListTables(
    const std::string& namespace_name) const {
  if (namespace_name != kSpeedNamespace) {
    return Error(
        ErrorCode::kNamespaceNotFound,
        "there is no namespace of this name; there is speed: " + Printable(namespace_name));
  }
  return topics_;
}

Status VirtualCatalog::CheckTable(const std::string& namespace_name,
                                  const std::string& name) const {
  if (namespace_name == kSpeedNamespace && slots_.contains(name)) return {};
  return Error(ErrorCode::kTableNotFound,
               "there is no such table; the setting topics names those that there are: " +
                   Printable(namespace_name) + "." + Printable(name));
}

Result<SpeedTable*> VirtualCatalog::OpenTable(const std::string& topic) {
  const auto found = slots_.find(topic);
  if (found == slots_.end()) return nullptr;
  Slot& slot = found->second;
  MutexLock lock(slot.mutex);
  if (!slot.table) {
    FRAZIL_ASSIGN_OR_RETURN(slot.table, SpeedTable::Open(topic, context_));
  }
  return slot.table.get();
}

Result<SpeedTable*> VirtualCatalog::OpenOrCreate(const std::string& topic, Deadline deadline,
                                                 const std::stop_token& stop) {
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(SpeedTable * opened, OpenTable(topic));
    if (opened != nullptr) return opened;
    auto created = SpeedTable::Create(topic, context_, deadline, stop);
    if (created.ok()) return Keep(topic, std::move(*created));
    // Another load is entering it at this moment.
    const bool repeat = created.error().code() == ErrorCode::kConflict && !deadline.Expired() &&
                        !stop.stop_requested();
    if (!repeat) return created.error();
  }
}

SpeedTable* VirtualCatalog::Keep(const std::string& topic, std::unique_ptr<SpeedTable> table) {
  Slot& slot = slots_.find(topic)->second;
  MutexLock lock(slot.mutex);
  if (!slot.table) slot.table = std::move(table);
  return slot.table.get();
}

Result<LoadedTable> VirtualCatalog::LoadTable(const std::string& namespace_name,
                                              const std::string& name, SnapshotSelection selection,
                                              Deadline deadline, const std::stop_token& stop) {
  FRAZIL_RETURN_IF_ERROR(CheckTable(namespace_name, name));
  FRAZIL_ASSIGN_OR_RETURN(SpeedTable * table, OpenOrCreate(name, deadline, stop));
  return table->Load(selection, deadline, stop);
}

Result<SpeedTable*> VirtualCatalog::OwnerOfKey(std::string_view key) {
  FRAZIL_ASSIGN_OR_RETURN(const ObjectOwner owner, OwnerOf(key));
  if (owner.namespace_name == kSpeedNamespace) {
    FRAZIL_ASSIGN_OR_RETURN(SpeedTable * table, OpenTable(owner.topic));
    if (table != nullptr && table->identity().uuid == owner.table_uuid) return table;
  }
  return Error(ErrorCode::kNotFound, "this path was never handed out: " + Printable(key));
}

Result<ObjectInfo> VirtualCatalog::StatObject(std::string_view key) {
  FRAZIL_ASSIGN_OR_RETURN(SpeedTable * table, OwnerOfKey(key));
  return table->Stat(key);
}

Result<Object> VirtualCatalog::ReadObject(std::string_view key, Deadline deadline,
                                          const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(SpeedTable * table, OwnerOfKey(key));
  return table->Read(key, deadline, stop);
}

Result<ObjectListing> VirtualCatalog::ListObjects(std::string_view prefix,
                                                  std::string_view start_after, std::size_t limit) {
  ObjectListing listing;
  // One more than asked tells whether there is more.
  for (const std::string& topic : topics_) {
    FRAZIL_ASSIGN_OR_RETURN(SpeedTable * table, OpenTable(topic));
    if (table == nullptr) continue;
    const std::string table_prefix = table->identity().KeyPrefix() + "/";
    if (!table_prefix.starts_with(prefix) && !prefix.starts_with(table_prefix)) continue;
    FRAZIL_ASSIGN_OR_RETURN(ObjectListing part, table->List(prefix, start_after, limit + 1));
    for (ListedObject& object : part.objects) listing.objects.push_back(std::move(object));
  }
  std::sort(
      listing.objects.begin(), listing.objects.end(),
      [](const ListedObject& left, const ListedObject& right) { return left.key < right.key; });
  listing.truncated = listing.objects.size() > limit;
  if (listing.truncated) listing.objects.resize(limit);
  return listing;
}

}  // namespace frazil::table
