// SPDX-License-Identifier: Apache-2.0
// One connection to a broker: requests out, answers back in the same order.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"
#include "kafka/client/answer_buffers.h"
#include "kafka/client/broker_address.h"
#include "kafka/wire/api.h"
#include "kafka/wire/api_versions.h"
#include "net/tcp_stream.h"
#include "telemetry/metrics.h"

namespace frazil::kafka {

struct ConnectionOptions {
  std::string client_id;
  std::int32_t max_response_bytes = 0;
  // Where answers get their memory from.
  std::shared_ptr<AnswerBuffers> buffers;
};

// By when an answer must come.
struct AnswerDeadlines {
  // Its first bytes.
  Deadline first;
  // All of it.
  Deadline whole;
  // Longest wait for each further piece (64 KiB).
  std::chrono::milliseconds piece{0};
};

// An answer without its header, and what keeps it.
struct ResponseBody {
  std::int16_t version = 0;
  ByteView bytes;
  std::shared_ptr<const void> owner;
};

// Threads: one at a time. Errors of all calls name the broker: network, deadline_exceeded,
// cancelled, kafka_protocol.
class Connection {
 public:
  // Asks which versions the broker takes before anything else.
  static Result<std::unique_ptr<Connection>> Open(const BrokerAddress& address,
                                                  std::unique_ptr<net::TcpStream> stream,
                                                  const ConnectionOptions& options,
                                                  telemetry::Metrics& metrics, Deadline deadline,
                                                  const std::stop_token& stop);

  const BrokerAddress& address() const { return address_; }
  // The version that Frazil uses with this broker, at most `at_most`. Errors: unsupported.
  Result<std::int16_t> VersionOf(wire::ApiKey api, std::int16_t at_most = INT16_MAX) const;

  // Puts a request after those that wait for Flush.
  // Requires: a version out of VersionOf.
  template <typename Request>
  void Queue(const Request& request, std::int16_t version) {
    const std::int32_t id = next_correlation_id_++;
    Append(wire::EncodeRequestFrame({Request::kApi, version, id, options_.client_id}, request),
           outgoing_);
    awaited_.push_back({Request::kApi, version, id});
  }
  Status Flush(Deadline deadline, const std::stop_token& stop);
  // The answer to the oldest request that has none yet.
  // Requires: there is one, and it was flushed.
  Result<ResponseBody> Receive(Deadline deadline, const std::stop_token& stop) {
    return Receive({deadline, deadline, deadline.Remaining()}, stop);
  }
  Result<ResponseBody> Receive(const AnswerDeadlines& deadlines, const std::stop_token& stop);
  // Queue, Flush and Receive.
  // Requires: no other answer is awaited.
  template <typename Request>
  Result<ResponseBody> Ask(const Request& request, std::int16_t version, Deadline deadline,
                           const std::stop_token& stop) {
    Queue(request, version);
    FRAZIL_RETURN_IF_ERROR(Flush(deadline, stop));
    return Receive(deadline, stop);
  }

  // Whether another request may be sent: nothing failed, and no answer is awaited.
  bool reusable() const { return !failed_ && awaited_.empty(); }
  bool failed() const { return failed_; }

 private:
  struct Awaited {
    wire::ApiKey api;
    std::int16_t version;
    std::int32_t correlation_id;
  };

  Connection(BrokerAddress address, std::unique_ptr<net::TcpStream> stream,
             ConnectionOptions options, telemetry::Metrics& metrics);

  Status Negotiate(Deadline deadline, const std::stop_token& stop);
  Result<wire::ApiVersionsResponse> AskVersions(std::int16_t version, Deadline deadline,
                                                const std::stop_token& stop);
  Result<ResponseBody> ReadAnswer(const Awaited& awaited, const AnswerDeadlines& deadlines,
                                  const std::stop_token& stop);
  void Count(wire::ApiKey api, bool ok);

  BrokerAddress address_;
  std::unique_ptr<net::TcpStream> stream_;
  ConnectionOptions options_;
  telemetry::Metrics& metrics_;
  wire::ApiVersionsResponse versions_;
  Bytes outgoing_;
  std::deque<Awaited> awaited_;
  std::int32_t next_correlation_id_ = 1;
  bool failed_ = false;
};

}  // namespace frazil::kafka
