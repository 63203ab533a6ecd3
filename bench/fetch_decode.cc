// SPDX-License-Identifier: Apache-2.0
// Reads one partition as a load does, in one thread, and prints JSON: how much, and CPU time.
//   bench_fetch_decode --kafka HOST:PORT --topic NAME --schema-id N [--shape flat|nested]
//                      [--until records|arrow|counted|parquet] [--partition N]
// Until records: fetched, checked, uncompressed, and as views. Arrow: decoded, a row group at a
// time. Counted: with the statistics and the size of its file. Parquet: as the file that is served.
#include <chrono>
#include <iostream>
#include <stop_token>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/kafka_record_source.h"
#include "base/allocator.h"
#include "bench/command_line.h"
#include "bench/range_builder.h"
#include "bench/sample_records.h"
#include "kafka/client/cluster.h"
#include "telemetry/metrics.h"

namespace {

using frazil::bench::Fail;
using frazil::bench::Options;

template <typename T>
T Value(frazil::Result<T> result) {
  if (!result.ok()) Fail(result.error().ToString());
  return std::move(result).value();
}

nlohmann::json ToJson(const frazil::bench::BuiltRange& built) {
  return {{"records", built.records},
          {"payload_bytes", built.payload_bytes},
          {"rows", built.rows},
          {"row_groups", built.row_groups},
          {"file_bytes", built.file_bytes},
          {"files", built.files}};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const std::string topic = options.Text("topic");
  const auto number = static_cast<std::int32_t>(options.Number("partition", 0));
  frazil::LetAllocatorGiveBack();
  frazil::telemetry::Metrics metrics;
  frazil::kafka::ClusterOptions cluster_options;
  cluster_options.bootstrap = {Value(frazil::kafka::BrokerAddress::Parse(options.Text("kafka")))};
  frazil::kafka::Cluster cluster(cluster_options, metrics);
  frazil::app::KafkaRecordSource source(cluster);
  const auto deadline = frazil::Deadline::After(std::chrono::minutes(5));
  const std::stop_token stop;
  const auto state = Value(source.Describe(topic, deadline, stop));
  const auto index = static_cast<std::size_t>(number);
  if (index >= state.partitions.size()) Fail("the topic has no such partition");
  const auto& partition = state.partitions[index];

  nlohmann::json result;
  for (int pass = 0; pass < frazil::bench::kPasses; ++pass) {
    frazil::bench::RangeBuilder builder(
        frazil::bench::UntilNamed(options.Text("until", "arrow")),
        frazil::bench::ShapeNamed(options.Text("shape", "flat")),
        frazil::WriterSchemaId(static_cast<std::int32_t>(options.Number("schema-id", 1))),
        {.topic = topic,
         .generation = frazil::Generation(0),
         .partition = frazil::PartitionId(number)});
    const frazil::bench::CpuMeter meter;
    const frazil::Status read = source.ReadRange(
        {.topic = topic,
         .topic_id = state.topic_id,
         .partition = partition.partition,
         .epoch = partition.epoch,
         .start = partition.start,
         .end = partition.end},
        [&](frazil::decode::RecordBlock block) {
          builder.Add(std::move(block));
          return frazil::Status();
        },
        deadline, stop);
    if (!read.ok()) Fail(read.error().ToString());
    result = ToJson(builder.Finish());
    result.update(meter.Spent());
  }
  std::cout << result.dump() << "\n";
  return 0;
}
