// SPDX-License-Identifier: Apache-2.0
// Produces sample records with librdkafka, spread over the partitions, and waits for every
// acknowledgement. Prints JSON.
//   bench_loader --kafka HOST:PORT --topic NAME --schema-id N [--shape flat|nested]
//                [--partitions N] [--records N] [--first NUMBER] [--codec none|lz4|zstd]
//                [--batch-bytes N] [--linger MILLISECONDS] [--rate RECORDS_A_SECOND]
// With a rate it goes on until SIGTERM, or until `records` where that is given.
#include <array>
#include <chrono>
#include <csignal>
#include <iostream>
#include <limits>
#include <string>
#include <thread>

#include <librdkafka/rdkafka.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "bench/command_line.h"
#include "bench/sample_records.h"

namespace {

using frazil::bench::Fail;
using frazil::bench::Options;

constexpr int kFlushMilliseconds = 120'000;
constexpr std::int64_t kDefaultRecords = 1'000'000;

volatile std::sig_atomic_t ended = 0;  // NOLINT: a signal handler has nothing else

void Set(rd_kafka_conf_t* conf, const char* name, const std::string& value) {
  std::array<char, 512> reason{};
  if (rd_kafka_conf_set(conf, name, value.c_str(), reason.data(), reason.size()) !=
      RD_KAFKA_CONF_OK) {
    Fail(reason.data());
  }
}

void Delivered(rd_kafka_t* /*producer*/, const rd_kafka_message_t* message, void* /*opaque*/) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) Fail(rd_kafka_err2str(message->err));
}

rd_kafka_t* NewProducer(const Options& options) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  Set(conf, "bootstrap.servers", options.Text("kafka"));
  Set(conf, "acks", "all");
  Set(conf, "enable.idempotence", "true");
  Set(conf, "compression.codec", options.Text("codec", "lz4"));
  Set(conf, "batch.size", options.Text("batch-bytes", "262144"));
  Set(conf, "linger.ms", options.Text("linger", "100"));
  Set(conf, "queue.buffering.max.messages", "500000");
  rd_kafka_conf_set_dr_msg_cb(conf, Delivered);
  std::array<char, 512> reason{};
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason.data(), reason.size());
  if (producer == nullptr) Fail(reason.data());
  return producer;
}

void Send(rd_kafka_t* producer, rd_kafka_topic_t* topic, std::int32_t partition,
          frazil::Bytes& value) {
  while (rd_kafka_produce(topic, partition, RD_KAFKA_MSG_F_COPY, value.data(), value.size(),
                          nullptr, 0, nullptr) != 0) {
    if (rd_kafka_last_error() != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      Fail(rd_kafka_err2str(rd_kafka_last_error()));
    }
    rd_kafka_poll(producer, 10);
  }
}

// Waits until record number `sent` is due.
void KeepRate(std::chrono::steady_clock::time_point begin, std::int64_t sent, std::int64_t rate) {
  const auto due = begin + std::chrono::microseconds(sent * 1'000'000 / rate);
  std::this_thread::sleep_until(due);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const auto shape = frazil::bench::ShapeNamed(options.Text("shape", "flat"));
  const auto schema_id = static_cast<std::int32_t>(options.Number("schema-id", 1));
  const std::int64_t partitions = options.Number("partitions", 1);
  const std::int64_t rate = options.Number("rate", 0);
  const std::int64_t first = options.Number("first", 0);
  const std::int64_t records = options.Number(
      "records", rate > 0 ? std::numeric_limits<std::int64_t>::max() : kDefaultRecords);
  std::signal(SIGTERM, [](int) { ended = 1; });
  rd_kafka_t* producer = NewProducer(options);
  rd_kafka_topic_t* topic = rd_kafka_topic_new(producer, options.Text("topic").c_str(), nullptr);
  const auto begin = std::chrono::steady_clock::now();
  frazil::Bytes value;
  std::int64_t sent = 0;
  std::int64_t bytes = 0;
  for (; sent < records && ended == 0; ++sent) {
    value.clear();
    frazil::bench::AppendValue(shape, first + sent, schema_id, value);
    bytes += static_cast<std::int64_t>(value.size());
    Send(producer, topic, static_cast<std::int32_t>(sent % partitions), value);
    if (rate > 0 && sent % 100 == 0) KeepRate(begin, sent, rate);
    if (sent % 1000 == 0) rd_kafka_poll(producer, 0);
  }
  if (rd_kafka_flush(producer, kFlushMilliseconds) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    Fail("records were not acknowledged");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << nlohmann::json(
                   {{"records", sent}, {"value_bytes", bytes}, {"seconds", took.count()}})
                   .dump()
            << std::endl;
  std::_Exit(0);
}
