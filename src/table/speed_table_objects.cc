// SPDX-License-Identifier: Apache-2.0
// The objects below a table's location: found by their names, made when they are read.
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/encoding.h"
#include "base/sha256.h"
#include "table/speed_table.h"
#include "table/table_files.h"

namespace frazil::table {
namespace {

Error NeverHandedOut(std::string_view key) {
  return {ErrorCode::kNotFound,
          "this path was never handed out, or is no longer kept: " + Printable(key)};
}

std::string EtagOf(std::string_view key) {
  const Sha256Digest digest = Sha256(AsBytes(key));
  return HexEncode(ByteView(digest).first(16));
}

// The number at the front of `text`, which is shortened; nullopt where there is none.
std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

Status CheckWriter(int writer_version) {
  if (writer_version == kWriterVersion) return {};
  return Error(ErrorCode::kPathNotReproducible,
               fmt::format("another version of Frazil wrote this file, and this one would give "
                           "other bytes; load the table again: writer version {}",
                           writer_version));
}

}  // namespace

Result<SpeedTable::Found> SpeedTable::FindMetadata(std::string_view key) const {
  std::string_view name = key.substr(key.rfind('/') + 1);
  Found found;
  if (TakePrefix(name, "snap-")) {
    const auto snapshot = TakeNumber(name);
    if (!snapshot || !TakePrefix(name, "-")) return NeverHandedOut(key);
    const auto number = TakeNumber(name);
    if (!number) return NeverHandedOut(key);
    FRAZIL_ASSIGN_OR_RETURN(found.cut, context_.ledger.FindCut(table_key_, CutNumber(*number)));
    if (!found.cut || ManifestListKey(identity_, found.cut->cut) != key) return NeverHandedOut(key);
    found.info.last_modified = found.cut->cut.stamp;
    return found;
  }
  if (TakePrefix(name, "m-")) {
    const auto number = TakeNumber(name);
    if (!number) return NeverHandedOut(key);
    FRAZIL_ASSIGN_OR_RETURN(found.manifest,
                            context_.ledger.FindManifest(table_key_, CutNumber(*number)));
    if (!found.manifest || ManifestKey(identity_, found.manifest->manifest) != key) {
      return NeverHandedOut(key);
    }
    found.info.last_modified = found.manifest->manifest.stamp;
    found.info.size = found.manifest->manifest.length;
    found.sized = true;
    return found;
  }
  const auto number = TakeNumber(name);
  if (!number) return NeverHandedOut(key);
  FRAZIL_ASSIGN_OR_RETURN(found.state, context_.ledger.FindState(table_key_, *number));
  if (!found.state || MetadataKey(identity_, found.state->state) != key) return NeverHandedOut(key);
  found.info.last_modified = found.state->state.stamp;
  return found;
}

Result<SpeedTable::Found> SpeedTable::FindData(std::string_view key) const {
  const std::string url = UrlOf(key);
  Found found;
  {
    MutexLock lock(mutex_);
    if (const ledger::ChunkRow* chunk = current_->FindChunk(url)) found.chunk = *chunk;
  }
  if (!found.chunk) {
    FRAZIL_ASSIGN_OR_RETURN(found.chunk, context_.ledger.FindChunk(table_key_, url));
  }
  if (!found.chunk) return NeverHandedOut(key);
  found.info.size = found.chunk->file.file_size;
  found.info.last_modified = found.chunk->added_stamp;
  found.sized = true;
  return found;
}

Result<SpeedTable::Found> SpeedTable::Find(std::string_view key) const {
  std::string_view rest = key;
  if (!TakePrefix(rest, identity_.KeyPrefix() + "/")) return NeverHandedOut(key);
  auto found = rest.starts_with("data/")       ? FindData(key)
               : rest.starts_with("metadata/") ? FindMetadata(key)
                                               : Result<Found>(NeverHandedOut(key));
  if (found.ok()) found->info.etag = EtagOf(key);
  return found;
}

Result<SharedBytes> SpeedTable::Render(const Found& found) const {
  std::vector<iceberg::Schema> versions;
  {
    MutexLock lock(mutex_);
    versions = versions_;
  }
  if (found.state) {
    FRAZIL_RETURN_IF_ERROR(CheckWriter(found.state->state.writer_version));
    MetadataTexts texts;
    const std::string json =
        MetadataJson(identity_, versions, *found.state, SnapshotSelection::kAll, texts);
    return std::make_shared<const Bytes>(json.begin(), json.end());
  }
  if (found.cut) {
    FRAZIL_RETURN_IF_ERROR(CheckWriter(found.cut->cut.writer_version));
    return std::make_shared<const Bytes>(ManifestListBytes(identity_, *found.cut));
  }
  const ledger::ManifestView& view = *found.manifest;
  FRAZIL_RETURN_IF_ERROR(CheckWriter(view.manifest.writer_version));
  std::map<ChunkId, const ledger::ChunkRow*> rows;
  for (const ledger::ChunkRow& chunk : view.chunks) rows[chunk.id] = &chunk;
  Bytes bytes =
      ManifestBytes(versions, view.manifest,
                    [&rows](ChunkId id) -> const ledger::ChunkRow& { return *rows.at(id); });
  if (Sha256(bytes) != view.manifest.content_hash) {
    return Error(
        ErrorCode::kCorruptData,
        "the ledger is damaged: a manifest does not come out as it was; put back a copy: " +
            ManifestKey(identity_, view.manifest));
  }
  return std::make_shared<const Bytes>(std::move(bytes));
}

Result<ObjectInfo> SpeedTable::Stat(std::string_view key) {
  FRAZIL_ASSIGN_OR_RETURN(Found found, Find(key));
  if (found.sized) return found.info;
  FRAZIL_ASSIGN_OR_RETURN(const SharedBytes bytes, Render(found));
  found.info.size = static_cast<std::int64_t>(bytes->size());
  return found.info;
}

Result<Object> SpeedTable::Read(std::string_view key, Deadline deadline,
                                const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(Found found, Find(key));
  Object object{.info = found.info, .bytes = nullptr};
  const auto make = [&]() -> Result<SharedBytes> {
    return found.chunk ? MakeChunk(*found.chunk, deadline, stop) : Render(found);
  };
  const auto cost = found.chunk ? ObjectCache::Cost::kHigh : ObjectCache::Cost::kCheap;
  FRAZIL_ASSIGN_OR_RETURN(object.bytes,
                          context_.cache.GetOrMake(std::string(key), cost, make, deadline, stop));
  object.info.size = static_cast<std::int64_t>(object.bytes->size());
  return object;
}

Result<SharedBytes> SpeedTable::MakeChunk(const ledger::ChunkRow& chunk, Deadline deadline,
                                          const std::stop_token& stop) {
  Uuid topic_id;
  {
    MutexLock lock(mutex_);
    const auto generation = static_cast<std::size_t>(chunk.generation.value());
    topic_id = generations_.at(generation).topic_id;
    if (topic_id != generations_.back().topic_id) {
      return Error(ErrorCode::kRecordsGone,
                   "the topic that this file was made of exists no more: " + chunk.file.path);
    }
  }
  const ChunkRange range = RangeOf(chunk);
  const auto named = [&](const Sha256Digest* content) {
    return UrlOf(ChunkKey(identity_, schemas_->format(), range, chunk.schema_version,
                          chunk.encoder_version, content));
  };
  if (chunk.file.path != named(nullptr) && chunk.file.path != named(&chunk.content_hash)) {
    return Error(ErrorCode::kPathNotReproducible,
                 "records are decoded in another way since this file was shown; load the table "
                 "again: " +
                     chunk.file.path);
  }
  auto made = BuildAgain(IndexContextOf(), topic_id, chunk, deadline, stop);
  if (!made.ok() && made.error().code() == ErrorCode::kRecordsGone) {
    // The next load lists the range anew (R8).
    MutexLock lock(mutex_);
    if (current_->FindChunk(chunk.file.path) != nullptr) stale_.insert(chunk.id);
  }
  return made;
}

Result<ObjectListing> SpeedTable::List(std::string_view prefix, std::string_view start_after,
                                       std::size_t limit) {
  std::vector<std::string> keys;
  {
    MutexLock lock(mutex_);
    if (current_->LastState() == nullptr) return ObjectListing();
    keys.push_back(MetadataKey(identity_, *current_->LastState()));
    keys.push_back(ManifestListKey(identity_, *current_->LastCut()));
    for (const ledger::ManifestRow& manifest : current_->manifests()) {
      keys.push_back(ManifestKey(identity_, manifest));
    }
    for (const auto& [id, chunk] : current_->chunks()) keys.emplace_back(KeyOf(chunk.file.path));
  }
  std::sort(keys.begin(), keys.end());
  ObjectListing listing;
  for (const std::string& key : keys) {
    if (!key.starts_with(prefix) || key <= start_after) continue;
    if (listing.objects.size() == limit) {
      listing.truncated = true;
      break;
    }
    FRAZIL_ASSIGN_OR_RETURN(const ObjectInfo info, Stat(key));
    listing.objects.push_back({.key = key, .info = info});
  }
  return listing;
}

}  // namespace frazil::table
