// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

// Allocated at once for an answer that claims more; the rest follows as bytes arrive.
constexpr std::size_t kTrustedResponseBytes = 16U << 20;
constexpr std::size_t kPieceBytes = 64U << 10;

constexpr auto kMetricLabels = std::to_array<std::pair<wire::ApiKey, std::string_view>>({
    {wire::ApiKey::kApiVersions, "api_versions"},
    {wire::ApiKey::kMetadata, "metadata"},
    {wire::ApiKey::kListOffsets, "list_offsets"},
    {wire::ApiKey::kFetch, "fetch"},
    {wire::ApiKey::kOffsetForLeaderEpoch, "offset_for_leader_epoch"},
    {wire::ApiKey::kDescribeConfigs, "describe_configs"},
    {wire::ApiKey::kDescribeProducers, "describe_producers"},
});

std::string_view MetricLabel(wire::ApiKey api) {
  const auto* found =
      std::ranges::find(kMetricLabels, api, [](const auto& row) { return row.first; });
  return found == kMetricLabels.end() ? "other" : found->second;
}

// `size` bytes of the stream.
Result<std::shared_ptr<const std::uint8_t[]>> ReadBytes(net::TcpStream& stream, std::size_t size,
                                                        AnswerBuffers& buffers,
                                                        const AnswerDeadlines& deadlines,
                                                        const std::stop_token& stop) {
  std::size_t capacity = std::min(size, kTrustedResponseBytes);
  std::shared_ptr<std::uint8_t[]> bytes = buffers.Take(capacity);
  for (std::size_t filled = 0; filled < size;) {
    if (filled == capacity) {
      capacity = std::min(size, capacity * 2);
      std::shared_ptr<std::uint8_t[]> larger = buffers.Take(capacity);
      std::memcpy(larger.get(), bytes.get(), filled);
      bytes = std::move(larger);
    }
    const std::size_t piece = std::min(kPieceBytes, capacity - filled);
    FRAZIL_RETURN_IF_ERROR(stream.ReadExact({bytes.get() + filled, piece},
                                            deadlines.whole.Within(deadlines.piece), stop));
    filled += piece;
  }
  return std::shared_ptr<const std::uint8_t[]>(std::move(bytes));
}

}  // namespace

Connection::Connection(BrokerAddress address, std::unique_ptr<net::TcpStream> stream,
                       ConnectionOptions options, telemetry::Metrics& metrics)
    : address_(std::move(address)),
      stream_(std::move(stream)),
      options_(std::move(options)),
      metrics_(metrics) {}

Result<std::unique_ptr<Connection>> Connection::Open(const BrokerAddress& address,
                                                     std::unique_ptr<net::TcpStream> stream,
                                                     const ConnectionOptions& options,
                                                     telemetry::Metrics& metrics, Deadline deadline,
                                                     const std::stop_token& stop) {
  std::unique_ptr<Connection> connection(
      new Connection(address, std::move(stream), options, metrics));
  FRAZIL_RETURN_IF_ERROR(connection->Negotiate(deadline, stop));
  return connection;
}

Status Connection::Negotiate(Deadline deadline, const std::stop_token& stop) {
  const std::int16_t newest = wire::SupportedVersions(wire::ApiKey::kApiVersions).last;
  FRAZIL_ASSIGN_OR_RETURN(versions_, AskVersions(newest, deadline, stop));
  if (versions_.error_code == static_cast<std::int16_t>(wire::ProtocolError::kUnsupportedVersion)) {
    FRAZIL_ASSIGN_OR_RETURN(versions_, AskVersions(0, deadline, stop));
  }
  if (versions_.error_code == 0) return {};
  return Error(ErrorCode::kKafkaProtocol,
               "The Kafka broker refuses to tell which requests it takes: " +
                   wire::DescribeProtocolError(versions_.error_code) + ", " + address_.ToString() +
                   ".");
}

Result<wire::ApiVersionsResponse> Connection::AskVersions(std::int16_t version, Deadline deadline,
                                                          const std::stop_token& stop) {
  Queue(wire::ApiVersionsRequest{options_.client_id, "1"}, version);
  FRAZIL_RETURN_IF_ERROR(Flush(deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody body, Receive(deadline, stop));
  return wire::DecodeApiVersionsResponse(body.bytes, version);
}

Result<std::int16_t> Connection::VersionOf(wire::ApiKey api, std::int16_t at_most) const {
  wire::VersionRange ours = wire::SupportedVersions(api);
  ours.last = std::min(ours.last, at_most);
  const std::optional<wire::VersionRange> theirs = versions_.Find(api);
  const std::optional<std::int16_t> version =
      theirs.has_value() ? wire::ChooseVersion(ours, *theirs) : std::nullopt;
  if (version.has_value()) return *version;
  return Error(ErrorCode::kUnsupported,
               "The Kafka broker takes no version of a request that Frazil needs; brokers from "
               "version 0.11.0 on are supported: " +
                   std::string(wire::NameOf(api)) + " at " + address_.ToString() + ".");
}

Status Connection::Flush(Deadline deadline, const std::stop_token& stop) {
  const Status written = stream_->WriteAll(outgoing_, deadline, stop);
  outgoing_.clear();
  if (written.ok()) return {};
  failed_ = true;
  for (const Awaited& awaited : awaited_) Count(awaited.api, false);
  return written.error().Within("Kafka broker " + address_.ToString());
}

Result<ResponseBody> Connection::Receive(const AnswerDeadlines& deadlines,
                                         const std::stop_token& stop) {
  const Awaited awaited = awaited_.front();
  awaited_.pop_front();
  auto answer = ReadAnswer(awaited, deadlines, stop);
  Count(awaited.api, answer.ok());
  if (answer.ok()) return answer;
  failed_ = true;
  return answer.error().Within("Kafka broker " + address_.ToString());
}

Result<ResponseBody> Connection::ReadAnswer(const Awaited& awaited,
                                            const AnswerDeadlines& deadlines,
                                            const std::stop_token& stop) {
  std::array<std::uint8_t, 4> prefix{};
  FRAZIL_RETURN_IF_ERROR(stream_->ReadExact(prefix, deadlines.first, stop));
  const auto size = LoadBigEndian<std::int32_t>(prefix.data());
  if (size < 4 || size > options_.max_response_bytes) {
    return Error(ErrorCode::kKafkaProtocol,
                 "The answer's length is out of bounds; is this a Kafka broker's plain-text "
                 "listener? Length " +
                     std::to_string(size) + ".");
  }
  FRAZIL_ASSIGN_OR_RETURN(
      const std::shared_ptr<const std::uint8_t[]> bytes,
      ReadBytes(*stream_, static_cast<std::size_t>(size), *options_.buffers, deadlines, stop));
  ResponseBody body;
  body.version = awaited.version;
  body.owner = bytes;
  FRAZIL_ASSIGN_OR_RETURN(const std::int32_t correlation_id,
                          wire::DecodeResponseHeader({bytes.get(), static_cast<std::size_t>(size)},
                                                     awaited.api, awaited.version, body.bytes));
  if (correlation_id != awaited.correlation_id) {
    return Error(ErrorCode::kKafkaProtocol, "The answer belongs to another request.");
  }
  return body;
}

void Connection::Count(wire::ApiKey api, bool ok) {
  metrics_.Increment(telemetry::Metric::kKafkaRequestsTotal,
                     {MetricLabel(api), ok ? "ok" : "error"});
}

}  // namespace frazil::kafka
