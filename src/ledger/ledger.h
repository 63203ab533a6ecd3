// SPDX-License-Identifier: Apache-2.0
// The ledger: what was ever shown, so that it can be shown again. Tables and their field ids, the
// versions of their schemas, cuts, chunks, and table states (one for each metadata file).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/sha256.h"
#include "base/uuid.h"
#include "iceberg/data_file.h"
#include "iceberg/manifest.h"
#include "iceberg/schema.h"
#include "iceberg/table_metadata.h"

namespace frazil::ledger {

// A topic: one counter of field ids, one history of schemas and generations for all its tables.
struct TopicRow {
  std::int64_t key = 0;
  std::string name;
  // The current generation, and the id that the topic had in it (zero: brokers know none).
  Generation generation{};
  Uuid topic_id;
  FieldId next_field_id;
  // How values are read ("avro", "raw"); empty until it is pinned.
  std::string value_format;
};

// A life of the topic's offsets (R1).
struct GenerationRow {
  Generation generation{};
  Uuid topic_id;
};

// A perspective on a topic: speed.orders. Its name is not kept: it may change.
struct TableRow {
  std::int64_t key = 0;
  std::int64_t topic_key = 0;
  std::string namespace_name;
  Uuid uuid;
};

// A version of a topic's table schema, and the writer's schema that brought it.
struct SchemaRow {
  iceberg::Schema schema;
  WriterSchemaId writer_schema_id;
};

// A writer's schema as the registry gave it, so that records are read again without asking, and
// the table schema version that it was mapped to.
struct WriterRow {
  WriterSchemaId writer_schema_id;
  SchemaVersion version;
  // The registry's word: "AVRO".
  std::string format;
  std::string text;
  // Texts that it uses, each after those that it uses itself.
  std::vector<std::string> references;
};

struct CutPartition {
  Generation generation{};
  PartitionId partition{};
  LeaderEpoch epoch{-1};
  Offset start{};
  Offset end{};
  // The generation is over for this partition (R1): nothing joins it any more, and it stays closed.
  // Only then may its end fall, and not below its start.
  bool closed = false;

  friend bool operator==(const CutPartition&, const CutPartition&) = default;
};

// A virtual data file. `file.path` is its whole URL.
struct ChunkRow {
  // Of the caller's choice, above every one that the table had.
  ChunkId id{};
  Generation generation{};
  PartitionId partition{};
  Offset start{};
  Offset end{};
  SchemaVersion schema_version{};
  int encoder_version = 0;
  // Hash of the file's bytes: what is made again must have it.
  Sha256Digest content_hash{};
  iceberg::DataFile file{};
  // The cut that added it, that cut's snapshot and stamp; set by recording.
  CutNumber added_cut{};
  SnapshotId added_snapshot{};
  UnixMillis added_stamp{};

  friend bool operator==(const ChunkRow&, const ChunkRow&) = default;
};

struct ManifestEntryRow {
  iceberg::EntryStatus status = iceberg::EntryStatus::kAdded;
  ChunkId chunk;

  friend bool operator==(const ManifestEntryRow&, const ManifestEntryRow&) = default;
};

// Sums over the files of a manifest, a cut's step, or a snapshot.
struct FileTotals {
  std::int64_t files = 0;
  std::int64_t records = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const FileTotals&, const FileTotals&) = default;
};

// A manifest, named by the cut that wrote it; a cut writes one at most.
struct ManifestRow {
  CutNumber cut{};
  // Of that cut, which may be purged before the manifest is.
  UnixMillis stamp{};
  SnapshotId snapshot_id{};
  SchemaVersion schema_version{};
  std::string nonce{};
  int writer_version = 0;
  // Of its bytes; what is rendered again must have them.
  std::int64_t length = 0;
  Sha256Digest content_hash{};
  SequenceNumber min_sequence_number{};
  FileTotals added{};
  FileTotals existing{};
  FileTotals deleted{};
  // In the order in which they stand in the file.
  std::vector<ManifestEntryRow> entries{};
};

// Records that Kafka lost or deleted before they were moved; kept for ever (R9, R1).
struct LostRange {
  Generation generation{};
  PartitionId partition{};
  Offset start{};
  Offset end{};
  // "expired", "recreated", "diverged".
  std::string reason{};
  // Set by recording.
  UnixMillis stamp{};

  friend bool operator==(const LostRange&, const LostRange&) = default;
};

struct NewManifest {
  std::int64_t length = 0;
  Sha256Digest content_hash{};
  SequenceNumber min_sequence_number{};
  FileTotals added{};
  FileTotals existing{};
  FileTotals deleted{};
  std::vector<ManifestEntryRow> entries{};
};

struct NewCut {
  SnapshotId snapshot_id{};
  iceberg::Operation operation = iceberg::Operation::kAppend;
  // The whole vector, ascending by (generation, partition).
  std::vector<CutPartition> partitions{};
  // Chunks that the cut adds; each is an ADDED entry of its manifest.
  std::vector<ChunkRow> chunks{};
  // Chunks of the set before that leave it; ascending. Only in a replace.
  std::vector<ChunkId> removed_chunks{};
  // With an entry at least. Absent: the cut changes no file and no manifest.
  std::optional<NewManifest> manifest{};
  // Manifests of the list before that leave it, by their cuts; ascending.
  std::vector<CutNumber> removed_manifests{};
  std::vector<LostRange> lost{};
};

struct CutRow {
  CutNumber number{};
  UnixMillis stamp{};
  SchemaVersion schema_version{};
  // Of the process that recorded it; part of the names of manifests and manifest lists (R21).
  std::string nonce{};
  // Version of the code that writes manifests and manifest lists (R4).
  int writer_version = 0;
  SnapshotId snapshot_id{};
  // Of the cut before, whether or not that is still listed (R11).
  std::optional<SnapshotId> parent_snapshot_id{};
  iceberg::Operation operation = iceberg::Operation::kAppend;
  std::vector<CutPartition> partitions{};
  // What it added and removed, and the whole set after it.
  FileTotals added{};
  FileTotals removed{};
  FileTotals total{};
};

// What a load showed: a cut under a schema version. One metadata file each.
struct StateRow {
  std::int64_t number = 0;  // from 1
  UnixMillis stamp{};
  // 0: the table was empty, no cut had been recorded.
  CutNumber cut{};
  SchemaVersion schema_version{};
  std::string nonce{};
  int writer_version = 0;
};

struct NewState {
  // Recorded one after the other, all or none. Empty: the same cut under another schema version or
  // writer version.
  std::vector<NewCut> cuts{};
  SchemaVersion schema_version{};
  int writer_version = 0;
  // Stamps are at least this far in the past (R10).
  std::chrono::milliseconds backdate{2000};
  // Cuts that leave the snapshot list with this state; they still resolve (R12).
  std::vector<CutNumber> unlisted{};
  // Opens the topic's next generation, before the cuts. Its number must follow the current one.
  std::optional<GenerationRow> generation{};
};

struct RecordedState {
  StateRow state;
  std::vector<CutRow> cuts;
};

// Previous metadata files that a metadata file names, at most.
inline constexpr std::size_t kPreviousStates = 100;

// All that the metadata file of a state says.
struct StateView {
  StateRow state;
  // The cuts that the state lists, ascending; the last one is the state's own, and only that one
  // has its partitions.
  std::vector<CutRow> listed;
  // The states before it, ascending, at most kPreviousStates.
  std::vector<StateRow> previous;
};

// The table as it is now.
struct CurrentView {
  // Absent before the first state.
  std::optional<StateView> last;
  // The chunk set, ascending by id, and the manifest list, ascending by cut, of the last cut.
  std::vector<ChunkRow> chunks{};
  std::vector<ManifestRow> manifests;
  // Chunks that DELETED entries of these manifests name; ascending by id.
  std::vector<ChunkRow> former_chunks;
  // The highest id that a chunk ever had.
  ChunkId last_chunk;
};

// A manifest list's content.
struct CutView {
  CutRow cut;
  // The manifests of its snapshot, ascending by cut, without their entries.
  std::vector<ManifestRow> manifests;
};

struct ManifestView {
  ManifestRow manifest;
  // The chunk of each entry, in the entries' order.
  std::vector<ChunkRow> chunks{};
};

// Threads: every member may be called from several threads at once.
// Errors of every call: ledger. Stored bytes that cannot be read, that do not have the hash with
// which they were stored, or that are missing where another row counts them: corrupt_data; never
// another answer than the one that was recorded. A writing call that ends with ledger may have
// happened all the same, which shows by the next opening at the latest: whoever repeats it reads
// again what it builds on.
class Ledger {
 public:
  virtual ~Ledger() = default;

  // 32 random bytes, made once: what vended keys are derived from (R25).
  virtual Bytes Secret() const = 0;
  // Random for each opening, 8 hexadecimal digits (R21).
  virtual std::string BootNonce() const = 0;

  virtual Result<std::optional<TopicRow>> FindTopic(const std::string& name) = 0;
  // Generation 0 is opened with it. conflict when it exists.
  virtual Result<TopicRow> CreateTopic(const std::string& name, const Uuid& topic_id,
                                       FieldId next_field_id) = 0;
  // Pins how values are read, for good. conflict when another format is pinned.
  virtual Status PinValueFormat(std::int64_t topic_key, const std::string& format) = 0;
  // All generations, ascending from 0.
  virtual Result<std::vector<GenerationRow>> Generations(std::int64_t topic_key) = 0;

  virtual Result<std::optional<TableRow>> FindTable(std::int64_t topic_key,
                                                    const std::string& namespace_name) = 0;
  // conflict when it exists.
  virtual Result<TableRow> CreateTable(std::int64_t topic_key, const std::string& namespace_name,
                                       const Uuid& uuid) = 0;

  virtual Result<std::vector<SchemaRow>> Schemas(std::int64_t topic_key) = 0;
  virtual Result<std::vector<WriterRow>> Writers(std::int64_t topic_key) = 0;
  // In one transaction: new schema versions (their numbers must follow the last one), the writers
  // mapped, the counter raised. conflict when somebody else was first: a version is taken, a writer
  // is mapped to another version (the same one again is fine), the counter stands higher.
  virtual Status AppendSchemas(std::int64_t topic_key, const std::vector<SchemaRow>& schemas,
                               const std::vector<WriterRow>& writers, FieldId next_field_id) = 0;

  virtual Result<CurrentView> Current(std::int64_t table_key) = 0;
  // nullopt for what was never recorded, or is purged.
  virtual Result<std::optional<StateView>> FindState(std::int64_t table_key,
                                                     std::int64_t number) = 0;
  virtual Result<std::optional<CutView>> FindCut(std::int64_t table_key, CutNumber number) = 0;
  virtual Result<std::optional<ManifestView>> FindManifest(std::int64_t table_key,
                                                           CutNumber cut) = 0;
  virtual Result<std::optional<ChunkRow>> FindChunk(std::int64_t table_key,
                                                    const std::string& path) = 0;
  // In the order in which they were recorded.
  virtual Result<std::vector<LostRange>> LostRanges(std::int64_t table_key) = 0;

  // Compare and swap on the table's last state (0: none yet). In one transaction the cuts get the
  // next numbers and stamps, the state the last cut's stamp (or, without cuts, one of its own):
  // each max(last stamp + 1 ms, clock - backdate). Up to and with the table's first cut they are 1,
  // 2,
  // ... ms after 1970, so that its first snapshot lies far in the past (R10).
  // After each cut the live (ADDED and EXISTING) entries of its manifest list are exactly its chunk
  // set. So its manifest has an ADDED entry for each new chunk, a DELETED one for each that leaves,
  // and an EXISTING one for every other live entry of the manifests that leave the list.
  // Errors: conflict when `expected_last_state` is no longer the last, or the generation is open
  // already; invalid_argument, with nothing recorded, for a cut whose starts or ends fall within a
  // generation or that leaves a partition out (R10), that is in a generation that is not open, that
  // has another kept cut's snapshot id or another kept chunk's path, that removes chunks and is no
  // replace, or that removes, lists or counts what is not there; for an unlisted cut that the state
  // before does not list, or that the state shows.
  virtual Result<RecordedState> RecordState(std::int64_t table_key,
                                            std::int64_t expected_last_state,
                                            const NewState& state) = 0;

  // Removes what no path leads to any more (R12). A state was handed out until the next one came,
  // by the clock (not by its stamp). Kept are: states that were handed out within `retention` (and
  // five minutes more), the states that their metadata logs name, all cuts that any of these lists,
  // the manifests of those cuts, and the chunks that these name, DELETED ones too. The last state
  // stays in any case. Removes some hundred rows at most, so that other calls do not wait for long.
  // Returns how many rows went; 0: nothing is left to remove.
  virtual Result<std::int64_t> Purge(std::int64_t table_key,
                                     std::chrono::milliseconds retention) = 0;
};

// Opens or makes `folder`/ledger.sqlite (WAL, synchronous NORMAL) and holds a lock on the folder.
// A file that is empty, or that has no tables of ours, is never taken for a new one.
// Errors: ledger: the folder cannot be made or written, another process holds it, the file is
// damaged, or another version of Frazil has written it; each says what to do.
// Owns: nothing of the clock, which must outlive it.
Result<std::unique_ptr<Ledger>> OpenSqliteLedger(const std::string& folder, const Clock& clock);

}  // namespace frazil::ledger
