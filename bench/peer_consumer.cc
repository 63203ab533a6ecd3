// SPDX-License-Identifier: Apache-2.0
// The same partition read by librdkafka, its values by libavro: no columns are made of them. Prints
// JSON as bench_fetch_decode does.
//   bench_peer_consumer --kafka HOST:PORT --topic NAME [--shape flat|nested] [--partition N]
//                       [--until records|values]
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include <librdkafka/rdkafka.h>
#include <nlohmann/json.hpp>

#include "bench/command_line.h"
#include "bench/libavro_reader.h"
#include "bench/sample_records.h"

namespace {

using frazil::bench::Fail;
using frazil::bench::Options;

constexpr std::size_t kFraming = 5;
constexpr std::size_t kMessagesAtOnce = 10'000;
constexpr int kWaitMilliseconds = 30'000;

void Set(rd_kafka_conf_t* conf, const char* name, const char* value) {
  std::array<char, 512> reason{};
  if (rd_kafka_conf_set(conf, name, value, reason.data(), reason.size()) != RD_KAFKA_CONF_OK) {
    Fail(reason.data());
  }
}

rd_kafka_t* NewConsumer(const Options& options) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  Set(conf, "bootstrap.servers", options.Text("kafka").c_str());
  Set(conf, "group.id", "bench");
  Set(conf, "check.crcs", "true");
  Set(conf, "enable.auto.commit", "false");
  Set(conf, "enable.auto.offset.store", "false");
  // As large as Frazil's fetches, and never waiting for its own queue.
  Set(conf, "fetch.message.max.bytes", "2097152");
  Set(conf, "fetch.max.bytes", "16777216");
  Set(conf, "queued.min.messages", "1000000");
  Set(conf, "queued.max.messages.kbytes", "1048576");
  std::array<char, 512> reason{};
  rd_kafka_t* consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason.data(), reason.size());
  if (consumer == nullptr) Fail(reason.data());
  rd_kafka_poll_set_consumer(consumer);
  return consumer;
}

void Assign(rd_kafka_t* consumer, const std::string& topic, std::int32_t partition,
            std::int64_t offset) {
  rd_kafka_topic_partition_list_t* partitions = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(partitions, topic.c_str(), partition)->offset = offset;
  rd_kafka_assign(consumer, partitions);
  rd_kafka_topic_partition_list_destroy(partitions);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const std::string topic = options.Text("topic");
  const auto partition = static_cast<std::int32_t>(options.Number("partition", 0));
  const bool read_values = options.Text("until", "values") == "values";
  frazil::bench::LibavroReader reader(
      frazil::bench::SchemaText(frazil::bench::ShapeNamed(options.Text("shape", "flat"))));
  rd_kafka_t* consumer = NewConsumer(options);
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (rd_kafka_query_watermark_offsets(consumer, topic.c_str(), partition, &low, &high,
                                       kWaitMilliseconds) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    Fail("the partition's ends cannot be read");
  }

  rd_kafka_queue_t* queue = rd_kafka_queue_get_consumer(consumer);
  std::vector<rd_kafka_message_t*> messages(kMessagesAtOnce);
  nlohmann::json result;
  for (int pass = 0; pass < frazil::bench::kPasses; ++pass) {
    const frazil::bench::CpuMeter meter;
    Assign(consumer, topic, partition, low);
    std::int64_t records = 0;
    std::int64_t payload_bytes = 0;
    for (std::int64_t next = low; next < high;) {
      const auto count =
          rd_kafka_consume_batch_queue(queue, kWaitMilliseconds, messages.data(), messages.size());
      if (count <= 0) Fail("no records came");
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const rd_kafka_message_t& message = *messages[i];
        if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) Fail(rd_kafka_message_errstr(&message));
        const char* value = static_cast<const char*>(message.payload) + kFraming;
        if (read_values && !reader.Read(value, message.len - kFraming)) {
          Fail("a value is unreadable");
        }
        ++records;
        payload_bytes += static_cast<std::int64_t>(message.len);
        next = message.offset + 1;
        rd_kafka_message_destroy(messages[i]);
      }
    }
    result = {{"records", records}, {"payload_bytes", payload_bytes}};
    result.update(meter.Spent());
  }
  std::cout << result.dump() << std::endl;
  // Leaving and closing take seconds and are not what is measured.
  std::_Exit(0);
}
