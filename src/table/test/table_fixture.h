// SPDX-License-Identifier: Apache-2.0
// A speed table over a Kafka and a registry in memory and a real ledger.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/memory_budget.h"
#include "base/sha256.h"
#include "base/thread_pool.h"
#include "iceberg/manifest.h"
#include "ledger/ledger.h"
#include "table/test/fakes.h"
#include "table/virtual_catalog.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace frazil::table {

using Json = nlohmann::json;

// Sanitizers make loads ten times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kInstrumented = true;
#else
inline constexpr bool kInstrumented = false;
#endif

class TestClock final : public Clock {
 public:
  UnixMillis Now() const override { return now; }
  std::atomic<UnixMillis> now{UnixMillis(1'700'000'000'000)};
};

// What one process holds; a new one over the same folder is a restart.
struct Process {
  Process(const std::string& folder, const Clock& clock, FakeKafka& kafka, FakeRegistry& registry,
          const TableOptions& options, std::size_t cache_bytes)
      : ledger(std::move(ledger::OpenSqliteLedger(folder, clock)).value()),
        logger(telemetry::MakeLogger(telemetry::LogLevel::kDebug, telemetry::LogFormat::kText,
                                     [this](std::string_view line) { log += line; })),
        pool(2, 100),
        background(1, 100),
        memory(1U << 30),
        cache(cache_bytes, 2, memory, metrics),
        catalog(TopicSelection::Parse({"orders", "absent"}, {}).value(), {.records = kafka,
                                                                          .schemas = registry,
                                                                          .ledger = *ledger,
                                                                          .cache = cache,
                                                                          .memory = memory,
                                                                          .pool = pool,
                                                                          .background = background,
                                                                          .clock = clock,
                                                                          .logger = *logger,
                                                                          .metrics = metrics,
                                                                          .options = options}) {}

  std::string log;
  std::unique_ptr<ledger::Ledger> ledger;
  std::unique_ptr<telemetry::Logger> logger;
  telemetry::Metrics metrics;
  ThreadPool pool;
  ThreadPool background;
  MemoryBudget memory;
  ObjectCache cache;
  VirtualCatalog catalog;
};

class TableFixture : public testing::Test {
 protected:
  TableFixture() {
    options_.cut_interval = std::chrono::milliseconds(0);
    options_.schema_cache = std::chrono::milliseconds(0);
    options_.kafka_timeout = std::chrono::milliseconds(300);
    schema_id_ = registry_.Register(RecordSchema({{"id", "\"long\""}, {"note", "\"string\""}}));
    Restart();
  }
  ~TableFixture() override {
    process_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Restart() {
    process_.reset();
    process_ =
        std::make_unique<Process>(folder_, clock_, kafka_, registry_, options_, cache_bytes_);
  }

  void Produce(int partition, std::int64_t id, std::string_view note = "n") {
    kafka_.Produce(partition, ValueBuilder(schema_id_).Long(id).Text(note).Build());
  }

  Result<LoadedTable> Load(SnapshotSelection selection = SnapshotSelection::kAll) {
    return process_->catalog.LoadTable("speed", "orders", selection, Soon(), {});
  }
  Json LoadJson() {
    const auto loaded = Load();
    EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
    return loaded.ok() ? Json::parse(*loaded->metadata_json) : Json();
  }
  static Deadline Soon() { return Deadline::After(std::chrono::milliseconds(10000)); }

  Result<Bytes> Read(const std::string& url) {
    const auto object = process_->catalog.ReadObject(KeyOf(url), Soon(), {});
    if (!object.ok()) return object.error();
    EXPECT_EQ(object->info.size, static_cast<std::int64_t>(object->bytes->size()));
    return *object->bytes;
  }

  std::vector<iceberg::ManifestFile> Manifests(const Json& snapshot) {
    return *iceberg::ReadManifestList(*Read(snapshot["manifest-list"]));
  }

  std::vector<iceberg::DataFile> Files(const Json& snapshot) {
    std::vector<iceberg::DataFile> files;
    for (const iceberg::ManifestFile& manifest : Manifests(snapshot)) {
      const Bytes bytes = *Read(manifest.path);
      EXPECT_EQ(manifest.length, static_cast<std::int64_t>(bytes.size()));
      const auto entries = iceberg::ReadManifest(bytes);
      for (const iceberg::ManifestEntry& entry : *entries) {
        if (entry.status != iceberg::EntryStatus::kDeleted) files.push_back(entry.file);
      }
    }
    return files;
  }

  // Every object that the snapshots of a state lead to, with the hash of its bytes.
  std::map<std::string, Sha256Digest> Everything(const LoadedTable& loaded) {
    std::map<std::string, Sha256Digest> found;
    const auto add = [&](const std::string& url) {
      const auto bytes = Read(url);
      EXPECT_TRUE(bytes.ok()) << url << " " << bytes.error().ToString();
      if (bytes.ok()) found[url] = Sha256(*bytes);
    };
    add(loaded.metadata_location);
    const Json metadata = Json::parse(*loaded.metadata_json);
    for (const Json& earlier : metadata["metadata-log"]) add(earlier["metadata-file"]);
    for (const Json& snapshot : metadata["snapshots"]) {
      add(snapshot["manifest-list"]);
      for (const iceberg::ManifestFile& manifest : Manifests(snapshot)) add(manifest.path);
      for (const iceberg::DataFile& file : Files(snapshot)) add(file.path);
    }
    return found;
  }

  static std::int64_t Records(const std::vector<iceberg::DataFile>& files) {
    std::int64_t records = 0;
    for (const iceberg::DataFile& file : files) records += file.record_count;
    return records;
  }

  const std::string folder_ = std::filesystem::temp_directory_path() / Uuid::Random().ToString();
  TestClock clock_;
  FakeKafka kafka_{2};
  FakeRegistry registry_;
  TableOptions options_;
  std::size_t cache_bytes_ = 64 << 20;
  WriterSchemaId schema_id_;
  std::unique_ptr<Process> process_;
};

}  // namespace frazil::table
