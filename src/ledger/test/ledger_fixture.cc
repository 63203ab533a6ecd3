// SPDX-License-Identifier: Apache-2.0
#include "ledger/test/ledger_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sqlite3.h>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/encoding.h"
#include "iceberg/data_file_json.h"

namespace frazil::ledger {
namespace {

struct Closer {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, Closer>;

Connection Connect(const std::string& path) {
  sqlite3* connection = nullptr;
  FRAZIL_CHECK(sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READWRITE, nullptr) ==
               SQLITE_OK);
  return Connection(connection);
}

}  // namespace

LedgerTest::LedgerTest() {
  std::string name = (std::filesystem::temp_directory_path() / "frazil-ledger-XXXXXX").string();
  FRAZIL_CHECK(mkdtemp(name.data()) != nullptr);
  folder_ = name + "/data";
}

LedgerTest::~LedgerTest() {
  ledger_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(std::filesystem::path(folder_).parent_path(), ignored);
}

void LedgerTest::Open() {
  ledger_.reset();
  auto opened = OpenSqliteLedger(folder_, clock_);
  ASSERT_TRUE(opened.ok()) << opened.error().ToString();
  ledger_ = std::move(opened).value();
}

void LedgerTest::Execute(const std::string& sql) const {
  char* message = nullptr;
  const Connection connection = Connect(File());
  ASSERT_EQ(sqlite3_exec(connection.get(), sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << message;
}

std::int64_t LedgerTest::Ask(const std::string& sql) const {
  const Connection connection = Connect(File());
  sqlite3_stmt* statement = nullptr;
  FRAZIL_CHECK(sqlite3_prepare_v2(connection.get(), sql.c_str(), -1, &statement, nullptr) ==
               SQLITE_OK);
  FRAZIL_CHECK(sqlite3_step(statement) == SQLITE_ROW);
  const std::int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

std::int64_t LedgerTest::MakeTable(const std::string& name) {
  const auto seed = static_cast<std::uint8_t>(std::hash<std::string>()(name) & 0xff);
  const auto topic = ledger_->CreateTopic(name, SomeUuid(seed), FieldId(21));
  FRAZIL_CHECK(topic.ok());
  const auto table = ledger_->CreateTable(topic->key, "speed", SomeUuid(seed));
  FRAZIL_CHECK(table.ok());
  return table->key;
}

Uuid SomeUuid(std::uint8_t seed) {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(seed + i);
  }
  return uuid;
}

iceberg::Schema SomeSchema(std::int32_t version, std::int32_t columns) {
  iceberg::Schema schema{.version = SchemaVersion(version), .fields = {}};
  for (std::int32_t i = 1; i <= columns; ++i) {
    schema.fields.push_back({.id = FieldId(i),
                             .name = "field_" + std::to_string(i),
                             .required = false,
                             .type = iceberg::Type::Of(iceberg::TypeKind::kLong),
                             .doc = ""});
  }
  return schema;
}

CutPartition Range(std::int32_t generation, std::int32_t partition, std::int64_t start,
                   std::int64_t end) {
  return {.generation = Generation(generation),
          .partition = PartitionId(partition),
          .epoch = LeaderEpoch(3),
          .start = Offset(start),
          .end = Offset(end)};
}

ChunkRow SomeChunk(std::int64_t id, std::int32_t partition, std::int64_t start, std::int64_t end) {
  ChunkRow chunk;
  chunk.id = ChunkId(id);
  chunk.partition = PartitionId(partition);
  chunk.start = Offset(start);
  chunk.end = Offset(end);
  chunk.schema_version = SchemaVersion(2);
  chunk.encoder_version = 1;
  chunk.content_hash[0] = static_cast<std::uint8_t>(start);
  chunk.content_hash[31] = 0xff;
  chunk.file.path = "s3://frazil/speed/orders/" + std::to_string(id) + "-" +
                    std::to_string(partition) + "-" + std::to_string(start) + "-" +
                    std::to_string(end) + ".parquet";
  chunk.file.record_count = end - start;
  chunk.file.file_size = 1000 + end;
  chunk.file.columns[FieldId(3)] = {.column_size = 80,
                                    .value_count = end - start,
                                    .null_count = 0,
                                    .nan_count = -1,
                                    .lower_bound = Bytes{0x01, 0x00},
                                    .upper_bound = Bytes{0xff, 0x7f}};
  chunk.file.columns[FieldId(21)] = {.column_size = 7,
                                     .value_count = end - start,
                                     .null_count = end - start,
                                     .nan_count = 0,
                                     .lower_bound = std::nullopt,
                                     .upper_bound = std::nullopt};
  return chunk;
}

namespace {

void Add(const ChunkRow& chunk, FileTotals& to) {
  ++to.files;
  to.records += chunk.file.record_count;
  to.bytes += chunk.file.file_size;
}

using iceberg::EntryStatus;

void Name(EntryStatus status, const std::vector<ChunkRow>& chunks, NewManifest& manifest) {
  for (const ChunkRow& chunk : chunks) {
    manifest.entries.push_back({.status = status, .chunk = chunk.id});
    Add(chunk, status == EntryStatus::kAdded      ? manifest.added
               : status == EntryStatus::kExisting ? manifest.existing
                                                  : manifest.deleted);
  }
}

}  // namespace

NewCut CutOver(std::int64_t snapshot, std::vector<CutPartition> ranges) {
  NewCut cut;
  cut.snapshot_id = SnapshotId(snapshot);
  cut.partitions = std::move(ranges);
  return cut;
}

NewCut Append(std::int64_t snapshot, std::vector<CutPartition> ranges,
              std::vector<ChunkRow> chunks) {
  NewCut cut = CutOver(snapshot, std::move(ranges));
  cut.manifest = NewManifest{};
  cut.manifest->length = 1000 + snapshot;
  cut.manifest->content_hash[3] = static_cast<std::uint8_t>(snapshot);
  cut.manifest->min_sequence_number = SequenceNumber(snapshot);
  Name(EntryStatus::kAdded, chunks, *cut.manifest);
  cut.chunks = std::move(chunks);
  return cut;
}

NewCut Replace(std::int64_t snapshot, std::vector<CutPartition> ranges,
               const std::vector<CutNumber>& manifests, const std::vector<ChunkRow>& removed,
               const std::vector<ChunkRow>& kept, std::vector<ChunkRow> added) {
  NewCut cut = Append(snapshot, std::move(ranges), std::move(added));
  cut.operation = iceberg::Operation::kReplace;
  Name(EntryStatus::kExisting, kept, *cut.manifest);
  Name(EntryStatus::kDeleted, removed, *cut.manifest);
  for (const ChunkRow& chunk : removed) cut.removed_chunks.push_back(chunk.id);
  std::sort(cut.removed_chunks.begin(), cut.removed_chunks.end());
  cut.removed_manifests = manifests;
  return cut;
}

NewState StateOf(std::vector<NewCut> cuts) {
  NewState state;
  state.cuts = std::move(cuts);
  state.writer_version = 4;
  return state;
}

NewState StateOver(std::int64_t snapshot, std::vector<CutPartition> ranges) {
  return StateOf({CutOver(snapshot, std::move(ranges))});
}

namespace {

std::string Text(const FileTotals& totals) {
  return fmt::format("{}/{}/{}", totals.files, totals.records, totals.bytes);
}

std::string Text(const StateRow& state) {
  return fmt::format("state {} at {} cut {} schema {} nonce {} writer {}", state.number,
                     state.stamp.value(), state.cut.value(), state.schema_version.value(),
                     state.nonce, state.writer_version);
}

std::string Text(const CutRow& cut) {
  std::string text = fmt::format(
      "cut {} at {} schema {} nonce {} writer {} snapshot {} parent {} operation {} added {} "
      "removed {} total {} over",
      cut.number.value(), cut.stamp.value(), cut.schema_version.value(), cut.nonce,
      cut.writer_version, cut.snapshot_id.value(),
      cut.parent_snapshot_id ? std::to_string(cut.parent_snapshot_id->value()) : "none",
      static_cast<int>(cut.operation), Text(cut.added), Text(cut.removed), Text(cut.total));
  for (const CutPartition& p : cut.partitions) {
    text += fmt::format(" {}.{}@{}[{},{}){}", p.generation.value(), p.partition.value(),
                        p.epoch.value(), p.start.value(), p.end.value(), p.closed ? "!" : "");
  }
  return text;
}

std::string Text(const ManifestRow& manifest) {
  std::string text = fmt::format(
      "manifest {} snapshot {} schema {} nonce {} writer {} length {} hash {} min {} added {} "
      "existing {} deleted {}:",
      manifest.cut.value(), manifest.snapshot_id.value(), manifest.schema_version.value(),
      manifest.nonce, manifest.writer_version, manifest.length, HexEncode(manifest.content_hash),
      manifest.min_sequence_number.value(), Text(manifest.added), Text(manifest.existing),
      Text(manifest.deleted));
  for (const ManifestEntryRow& entry : manifest.entries) {
    text += fmt::format(" {}{}", static_cast<int>(entry.status), entry.chunk.value());
  }
  return text;
}

}  // namespace

std::string Describe(const StateView& view) {
  std::string text = Text(view.state);
  for (const CutRow& cut : view.listed) text += "\nlists " + Text(cut);
  for (const StateRow& state : view.previous) text += "\nafter " + Text(state);
  return text;
}

std::string Describe(const CutView& view) {
  std::string text = Text(view.cut);
  for (const ManifestRow& manifest : view.manifests) text += "\n" + Text(manifest);
  return text;
}

std::string Describe(const ChunkRow& chunk) {
  return fmt::format("chunk {} {}.{}[{},{}) schema {} encoder {} hash {} added {} {} {} {} {} {}",
                     chunk.id.value(), chunk.generation.value(), chunk.partition.value(),
                     chunk.start.value(), chunk.end.value(), chunk.schema_version.value(),
                     chunk.encoder_version, HexEncode(chunk.content_hash), chunk.added_cut.value(),
                     chunk.added_snapshot.value(), chunk.file.path, chunk.file.record_count,
                     chunk.file.file_size, iceberg::ColumnsToJson(chunk.file.columns));
}

std::string Describe(const ManifestView& view) {
  std::string text = Text(view.manifest);
  for (const ChunkRow& chunk : view.chunks) text += "\n" + Describe(chunk);
  return text;
}

std::string Describe(const CurrentView& view) {
  std::string text = fmt::format("last chunk {}\n", view.last_chunk.value());
  if (view.last) text += Describe(*view.last);
  for (const ChunkRow& chunk : view.chunks) text += "\nlive " + Describe(chunk);
  for (const ManifestRow& manifest : view.manifests) text += "\n" + Text(manifest);
  for (const ChunkRow& chunk : view.former_chunks) text += "\nformer " + Describe(chunk);
  return text;
}

std::vector<CutPartition> RandomLife::Grow() {
  for (std::int64_t& end : ends_) end += static_cast<std::int64_t>(random_() % 10);
  return {Range(0, 0, 0, ends_[0]), Range(0, 1, 0, ends_[1]), Range(0, 7, 0, ends_[2])};
}

NewCut RandomLife::NextAppend() {
  std::vector<ChunkRow> chunks;
  const std::uint64_t count = random_() % 4;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto start = static_cast<std::int64_t>(random_() % 100'000);
    chunks.push_back(SomeChunk(++last_chunk_, static_cast<int>(i), start, start + 10));
    paths_.push_back(chunks.back().file.path);
  }
  const std::int64_t snapshot = 1000 + ++last_cut_;
  listed_.emplace_back(last_cut_);
  if (chunks.empty()) return CutOver(snapshot, Grow());
  manifests_[CutNumber(last_cut_)] = chunks;
  return Append(snapshot, Grow(), std::move(chunks));
}

NewCut RandomLife::NextReplace() {
  std::vector<CutNumber> gone;
  std::vector<ChunkRow> removed;
  std::vector<ChunkRow> kept;
  for (const auto& [cut, chunks] : manifests_) {
    if (random_() % 3 == 0) continue;
    gone.push_back(cut);
    for (const ChunkRow& chunk : chunks) (random_() % 4 == 0 ? removed : kept).push_back(chunk);
  }
  for (const CutNumber cut : gone) manifests_.erase(cut);
  std::vector<ChunkRow> added;
  const auto start = static_cast<std::int64_t>(random_() % 100'000);
  added.push_back(SomeChunk(++last_chunk_, 0, start, start + 20));
  paths_.push_back(added.back().file.path);
  const std::int64_t snapshot = 1000 + ++last_cut_;
  listed_.emplace_back(last_cut_);
  auto& live = manifests_[CutNumber(last_cut_)];
  live = kept;
  live.push_back(added.back());
  return Replace(snapshot, Grow(), gone, removed, kept, std::move(added));
}

void RandomLife::Step() {
  NewState state;
  state.writer_version = 4;
  state.schema_version = SchemaVersion(static_cast<std::int32_t>(random_() % 3));
  while (listed_.size() > 20 || (listed_.size() > 5 && random_() % 4 == 0)) {
    const std::size_t at = random_() % (listed_.size() - 1);
    state.unlisted.push_back(listed_[at]);
    listed_.erase(listed_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const std::uint64_t kind = random_() % 10;
  if (kind > 0) state.cuts.push_back(NextAppend());
  if (kind > 7) state.cuts.push_back(NextReplace());
  const auto recorded = ledger_->RecordState(table_, last_state_, state);
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  ASSERT_EQ(recorded->state.number, ++last_state_);
}

}  // namespace frazil::ledger
