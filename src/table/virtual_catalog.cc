// SPDX-License-Identifier: Apache-2.0
#include "table/virtual_catalog.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "table/object_names.h"

namespace frazil::table {
namespace {

Error NoTable(const std::string& namespace_name, const std::string& name) {
  return Error(ErrorCode::kTableNotFound,
               "there is no such table: no topic of this name, or alias, exists in Kafka and is "
               "shown by the setting topics: " +
                   Printable(namespace_name) + "." + Printable(name));
}

Error Clash(const ListedTopic& listed) {
  return Error(ErrorCode::kAmbiguousName,
               "topics " + listed.topic.name + " and " + listed.clashes_with +
                   " would be tables of one name, for engines do not tell upper from lower case; "
                   "give one of them another name in the setting aliases: " +
                   listed.table);
}

}  // namespace

VirtualCatalog::VirtualCatalog(TopicSelection selection, const TableContext& context)
    : context_(context),
      directory_(
          std::move(selection), context.records,
          {.cache = std::chrono::milliseconds(1000), .timeout = context.options.kafka_timeout}) {}

std::vector<std::string> VirtualCatalog::Namespaces() const {
  return {std::string(kSpeedNamespace)};
}

Result<std::vector<std::string>> VirtualCatalog::ListTables(const std::string& namespace_name,
                                                            Deadline deadline,
                                                            const std::stop_token& stop) {
  if (namespace_name != kSpeedNamespace) {
    return Error(
        ErrorCode::kNamespaceNotFound,
        "there is no namespace of this name; there is speed: " + Printable(namespace_name));
  }
  const auto recent = directory_.Recent(deadline, stop);
  if (recent.ok()) return (*recent)->tables;
  // Kafka is away: names that were listed before still say what there is to load.
  if (const TopicDirectory::Listing known = directory_.Known()) return known->tables;
  const TopicSelection& selection = directory_.selection();
  std::vector<std::string> names;
  for (const std::string& topic : selection.NamedOnly()) names.push_back(selection.TableOf(topic));
  if (names.empty()) return recent.error();
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> VirtualCatalog::FindTopic(const std::string& namespace_name,
                                              const std::string& name, Deadline deadline,
                                              const std::stop_token& stop) {
  if (namespace_name != kSpeedNamespace) return NoTable(namespace_name, name);
  TopicDirectory::Listing listing = directory_.Known();
  const ListedTopic* listed = listing ? listing->FindTable(name) : nullptr;
  if (listed == nullptr) {
    const TopicSelection& selection = directory_.selection();
    const std::string& named = selection.TopicOf(name);
    if (selection.Names(named) && selection.TableOf(named) == name) return named;
    FRAZIL_ASSIGN_OR_RETURN(listing, directory_.Fresh(deadline, stop));
    listed = listing->FindTable(name);
  }
  if (listed == nullptr) return NoTable(namespace_name, name);
  if (!listed->clashes_with.empty()) return Clash(*listed);
  return listed->topic.name;
}

Status VirtualCatalog::CheckTable(const std::string& namespace_name, const std::string& name,
                                  Deadline deadline, const std::stop_token& stop) {
  if (namespace_name != kSpeedNamespace) return NoTable(namespace_name, name);
  const auto recent = directory_.Recent(deadline, stop);
  if (!recent.ok()) {
    // Kafka is away: what was known before is taken for true.
    const TopicDirectory::Listing known = directory_.Known();
    if (known && known->FindTable(name) != nullptr) return {};
    const TopicSelection& selection = directory_.selection();
    const std::string& topic = selection.TopicOf(name);
    if (selection.Names(topic) && selection.TableOf(topic) == name) return {};
    return recent.error();
  }
  if ((*recent)->FindTable(name) != nullptr) return {};
  FRAZIL_ASSIGN_OR_RETURN(const TopicDirectory::Listing fresh, directory_.Fresh(deadline, stop));
  return fresh->FindTable(name) != nullptr ? Status() : NoTable(namespace_name, name);
}

VirtualCatalog::Slot& VirtualCatalog::SlotOf(const std::string& topic) {
  MutexLock lock(mutex_);
  std::unique_ptr<Slot>& slot = slots_[topic];
  if (!slot) slot = std::make_unique<Slot>();
  return *slot;
}

Result<SpeedTable*> VirtualCatalog::OpenTable(const std::string& topic) {
  Slot* slot = nullptr;
  {
    MutexLock lock(mutex_);
    if (const auto found = slots_.find(topic); found != slots_.end()) slot = found->second.get();
  }
  if (slot != nullptr) {
    MutexLock lock(slot->mutex);
    if (!slot->table) {
      FRAZIL_ASSIGN_OR_RETURN(slot->table, SpeedTable::Open(topic, context_));
    }
    return slot->table.get();
  }
  // Whoever asks for paths that never were leaves nothing behind.
  FRAZIL_ASSIGN_OR_RETURN(auto table, SpeedTable::Open(topic, context_));
  return table ? Keep(topic, std::move(table)) : nullptr;
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
  Slot& slot = SlotOf(topic);
  MutexLock lock(slot.mutex);
  if (!slot.table) slot.table = std::move(table);
  return slot.table.get();
}

Result<LoadedTable> VirtualCatalog::LoadTable(const std::string& namespace_name,
                                              const std::string& name, SnapshotSelection selection,
                                              Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const std::string topic, FindTopic(namespace_name, name, deadline, stop));
  SpeedTable* table = nullptr;
  auto loaded = [&]() -> Result<LoadedTable> {
    FRAZIL_ASSIGN_OR_RETURN(table, OpenOrCreate(topic, deadline, stop));
    return table->Load(selection, deadline, stop);
  }();
  Note(topic, table, loaded);
  if (table != nullptr) NoteOpenTransactions(topic, *table);
  return loaded;
}

void VirtualCatalog::Note(const std::string& topic, const SpeedTable* table,
                          const Result<LoadedTable>& loaded) {
  // A client that left says nothing of the table.
  if (!loaded.ok() && loaded.error().code() == ErrorCode::kCancelled) return;
  const UnixMillis now = context_.clock.Now();
  Slot& slot = SlotOf(topic);
  MutexLock lock(slot.mutex);
  if (loaded.ok()) {
    slot.loads = {.shown = now};
  } else {
    slot.loads.refused_record =
        table != nullptr ? table->RefusedRecordOf(loaded.error()) : std::nullopt;
    slot.loads.refused = now;
    slot.loads.refusal = loaded.error();
  }
}

void VirtualCatalog::NoteOpenTransactions(const std::string& topic, const SpeedTable& table) {
  const std::int64_t records = table.OpenTransactionRecords();
  const TopicDirectory::Listing listing = directory_.Known();
  MutexLock lock(mutex_);
  if (records > 0) {
    open_records_[topic] = records;
  } else {
    open_records_.erase(topic);
  }
  // Nobody loads the table of a topic that is gone, to see that its transaction is, too.
  std::erase_if(open_records_, [&](const auto& entry) {
    const std::string& table_name = directory_.selection().TableOf(entry.first);
    return listing && entry.first != topic && listing->FindTable(table_name) == nullptr;
  });
  std::int64_t most = 0;
  for (const auto& [name, count] : open_records_) most = std::max(most, count);
  context_.metrics.Set(telemetry::Metric::kOpenTransactionRecords, static_cast<double>(most));
}

ListedTopic VirtualCatalog::Listed(const std::string& name) const {
  const TopicDirectory::Listing known = directory_.Known();
  if (const ListedTopic* listed = known ? known->FindTable(name) : nullptr) return *listed;
  return {.topic = {.name = directory_.selection().TopicOf(name)}, .table = name, .shown = true};
}

LoadHistory VirtualCatalog::LoadsOf(const std::string& topic) const {
  Slot* slot = nullptr;
  {
    MutexLock lock(mutex_);
    const auto found = slots_.find(topic);
    if (found == slots_.end()) return {};
    slot = found->second.get();
  }
  MutexLock lock(slot->mutex);
  return slot->loads;
}

Result<SpeedTable*> VirtualCatalog::OwnerOfKey(std::string_view key) {
  FRAZIL_ASSIGN_OR_RETURN(const ObjectOwner owner, OwnerOf(key));
  // What the settings took out is read no more; whether Kafka still has it, the read will tell.
  const bool shown = directory_.selection().Shows(owner.topic, false);
  if (owner.namespace_name == kSpeedNamespace && shown) {
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

std::set<std::string> VirtualCatalog::TopicsOfPrefix(std::string_view prefix) const {
  std::set<std::string> topics;
  const std::string root = std::string(kSpeedNamespace) + "/";
  if (prefix.starts_with(root) && prefix.find('/', root.size()) != std::string_view::npos) {
    const std::string_view rest = prefix.substr(root.size());
    topics.emplace(rest.substr(0, rest.find('/')));
    return topics;
  }
  if (const TopicDirectory::Listing known = directory_.Known()) {
    for (const ListedTopic& listed : known->topics) topics.insert(listed.topic.name);
  }
  for (const std::string& topic : directory_.selection().NamedOnly()) topics.insert(topic);
  MutexLock lock(mutex_);
  for (const auto& [topic, slot] : slots_) topics.insert(topic);
  return topics;
}

Result<ObjectListing> VirtualCatalog::ListObjects(std::string_view prefix,
                                                  std::string_view start_after, std::size_t limit) {
  ObjectListing listing;
  // One more than asked tells whether there is more.
  for (const std::string& topic : TopicsOfPrefix(prefix)) {
    if (!directory_.selection().Shows(topic, false)) continue;
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
