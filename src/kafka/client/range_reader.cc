// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "kafka/client/range_reader_internal.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

using wire::ProtocolError;

constexpr std::int32_t kSmallestFetch = 256 << 10;
// Later versions let a broker point to a follower instead of answering (KIP-392).
constexpr std::int16_t kLastFetchFromLeaderOnly = 10;
constexpr int kEmptyAnswersThatProve = 2;
constexpr int kPartialAnswersThatProve = 4;
// Of one block: so few that the views stay in the processor's caches, and that their memory is of a
// size that the allocator gives out again without asking the system.
constexpr std::size_t kMostRecords = 1 << 14;

}  // namespace

RangeReader::RangeReader(ClusterState& state, const ReadRequest& request, const RecordSink& sink,
                         Deadline deadline, const std::stop_token& stop)
    : state_(state),
      request_(request),
      sink_(sink),
      deadline_(deadline),
      stop_(stop),
      next_(request.start.value()),
      stall_(Deadline::After(state.options().stall_timeout)),
      fetch_bytes_floor_(std::min(kSmallestFetch, state.options().fetch_max_bytes)) {}

Status RangeReader::Run() {
  RetryLoop retries = state_.StartRetries(deadline_, stop_);
  for (;;) {
    const std::int64_t before = next_;
    Status stepped = next_ < request_.end.value() ? Step() : CheckEnd();
    if (sink_failed_) return stepped;
    if (std::exchange(answered_, false)) {
      stall_ = Deadline::After(state_.options().stall_timeout);
    }
    if (stepped.ok() && before >= request_.end.value()) return {};
    if (next_ > before) retries.Progress();
    if (stepped.ok()) continue;
    state_.metadata().MarkStale(request_.topic);
    FRAZIL_RETURN_IF_ERROR(retries.AfterFailure(stepped.error()));
    if (stall_.Expired()) {
      return retries.GiveUp("Kafka sent nothing of " + Place() + " for " +
                            std::to_string(state_.options().stall_timeout.count()) + " ms: ");
    }
  }
}

Status RangeReader::Step() {
  FRAZIL_ASSIGN_OR_RETURN(const TopicMetadata metadata,
                          CheckedTopic(state_.options().metadata_max_age));
  FRAZIL_ASSIGN_OR_RETURN(Answer answer, Fetch(metadata));
  answered_ = true;
  if (answer.partition.error_code != 0) {
    return TakeError(answer.partition.error_code, metadata, answer.address);
  }
  // What is not in such an answer lies with a follower; only the leader is asked (R6).
  if (answer.partition.preferred_read_replica >= 0 && !leader_only_) {
    leader_only_ = true;
    return {};
  }
  const std::int64_t before = next_;
  FRAZIL_RETURN_IF_ERROR(TakeRecords(answer));
  if (next_ == before) {
    const std::size_t bytes = answer.partition.records.value_or(ByteView()).size();
    FRAZIL_RETURN_IF_ERROR(bytes == 0 ? TakeEmpty(answer) : TakePartialBatch(bytes));
  } else {
    empty_answers_ = 0;
    partial_answers_ = 0;
  }
  if (answer.throttle_time_ms <= 0 || next_ >= request_.end.value()) return {};
  // The broker would not answer before that.
  return WaitFor(std::chrono::milliseconds(answer.throttle_time_ms), deadline_, stop_);
}

Result<TopicMetadata> RangeReader::CheckedTopic(std::chrono::milliseconds max_age) {
  return state_.CheckedTopic(request_.topic, request_.topic_id, request_.partition, max_age,
                             Patience(), stop_);
}

// Names do not tell a topic from its successor, so what was fetched by name counts only if the id
// is still the same afterwards.
Status RangeReader::CheckEnd() {
  if (!fetched_by_name_ || request_.topic_id.IsZero()) return {};
  const auto checked = CheckedTopic(std::chrono::milliseconds(-1));
  return checked.ok() ? Status() : checked.error();
}

Result<RangeReader::Answer> RangeReader::Fetch(const TopicMetadata& metadata) {
  const std::int32_t partition = request_.partition.value();
  FRAZIL_ASSIGN_OR_RETURN(
      const BrokerAddress address,
      state_.LeaderAddress(request_.topic, partition,
                           metadata.partitions[static_cast<std::size_t>(partition)]));
  FRAZIL_ASSIGN_OR_RETURN(const ConnectionPool::Lease connection, LeaseLeader(address));
  const std::int16_t newest = leader_only_           ? kLastFetchFromLeaderOnly
                              : metadata.id.IsZero() ? wire::kFetchByTopicId - 1
                                                     : wire::kFetchByTopicId;
  FRAZIL_ASSIGN_OR_RETURN(const std::int16_t version,
                          connection->VersionOf(wire::ApiKey::kFetch, newest));
  fetched_by_name_ = fetched_by_name_ || version < wire::kFetchByTopicId;
  const std::chrono::milliseconds wait =
      patient_ ? std::min(state_.options().empty_fetch_wait, deadline_.Remaining())
               : std::chrono::milliseconds(0);
  const Deadline first = state_.RequestDeadline(Patience(), wait);
  connection->Queue(MakeRequest(metadata, static_cast<std::int32_t>(wait.count())), version);
  FRAZIL_RETURN_IF_ERROR(connection->Flush(first, stop_));
  FRAZIL_ASSIGN_OR_RETURN(
      const ResponseBody body,
      connection->Receive({first, deadline_, state_.options().stall_timeout}, stop_));
  FRAZIL_ASSIGN_OR_RETURN(Answer answer, TakeAnswer(body, metadata, address));
  answer.wait = wait;
  return answer;
}

Deadline RangeReader::Patience() const {
  return Deadline(std::min(deadline_.moment(), stall_.moment()));
}

Result<ConnectionPool::Lease> RangeReader::LeaseLeader(const BrokerAddress& address) {
  const auto asked = std::chrono::steady_clock::now();
  auto lease = state_.Lease(address, state_.RequestDeadline(deadline_), stop_);
  // That other reads hold the connections is no fault of the broker's.
  if (lease.ok()) stall_ = Deadline(stall_.moment() + (std::chrono::steady_clock::now() - asked));
  return lease;
}

wire::FetchRequest RangeReader::MakeRequest(const TopicMetadata& metadata,
                                            std::int32_t wait_ms) const {
  const std::int32_t max_bytes = FetchBytes();
  wire::FetchRequest request;
  request.max_wait_ms = wait_ms;
  request.min_bytes = wait_ms == 0 ? 0 : 1;
  request.max_bytes = max_bytes;
  wire::FetchRequest::Topic& topic = request.topics.emplace_back();
  topic.name = request_.topic;
  topic.id = metadata.id;
  topic.partitions.push_back(
      {request_.partition.value(), EpochToSend(metadata), next_, -1, max_bytes});
  return request;
}

Result<RangeReader::Answer> RangeReader::TakeAnswer(const ResponseBody& body,
                                                    const TopicMetadata& metadata,
                                                    const BrokerAddress& address) const {
  FRAZIL_ASSIGN_OR_RETURN(wire::FetchResponse response,
                          wire::DecodeFetchResponse(body.bytes, body.version));
  Answer answer;
  answer.throttle_time_ms = response.throttle_time_ms;
  answer.owner = body.owner;
  answer.address = address;
  answer.partition.error_code = response.error_code;
  if (response.error_code != 0) return answer;
  const bool fits =
      response.topics.size() == 1 && response.topics[0].partitions.size() == 1 &&
      response.topics[0].partitions[0].index == request_.partition.value() &&
      (body.version < wire::kFetchByTopicId ? response.topics[0].name == request_.topic
                                            : response.topics[0].id == metadata.id);
  if (!fits) {
    // A broker that is throttled may leave everything out.
    if (response.topics.empty() && response.throttle_time_ms > 0) {
      answer.partition.index = request_.partition.value();
      return answer;
    }
    return Error(ErrorCode::kKafkaProtocol,
                 "The Kafka broker's answer is not about what was asked for: " + Place() + " at " +
                     address.ToString() + ".");
  }
  answer.partition = std::move(response.topics[0].partitions[0]);
  return answer;
}

Status RangeReader::TakeRecords(Answer& answer) {
  ByteView rest = answer.partition.records.value_or(ByteView());
  const std::size_t bytes = rest.size();
  state_.metrics().Increment(telemetry::Metric::kKafkaFetchedBytesTotal, {},
                             static_cast<double>(bytes));
  const std::int64_t first = next_;
  wire::AbortedTransactionFilter filter(std::move(answer.partition.aborted_transactions)
                                            .value_or(std::vector<wire::AbortedTransaction>()));
  pending_owns_answer_ = false;
  answer_bytes_ = bytes;
  std::int64_t log_position = -1;
  Status status;
  while (status.ok() && next_ < request_.end.value()) {
    auto taken = wire::TakeRecordBatch(rest, state_.options().batch_limits);
    if (!taken.ok()) {
      status = taken.error();
      break;
    }
    if (!taken.value().has_value()) break;
    const wire::RecordBatch& batch = **taken;
    if (batch.base_offset <= log_position) {
      status = Error(ErrorCode::kCorruptData,
                     "Record batches do not follow each other in order of offset, at offset " +
                         std::to_string(batch.base_offset) + ".");
      break;
    }
    log_position = batch.last_offset();
    status = TakeBatch(batch, filter, answer);
  }
  // What came before a damaged batch is right, but is of no use without the rest.
  if (sink_failed_) return status;
  if (!status.ok()) {
    return Error(status.error().code(), status.error().message() + " In " + Place() + ".");
  }
  const auto offsets = static_cast<double>(std::max<std::int64_t>(1, next_ - first));
  if (next_ > first) bytes_per_offset_ = static_cast<double>(bytes) / offsets;
  return Emit();
}

Status RangeReader::TakeBatch(const wire::RecordBatch& batch,
                              wire::AbortedTransactionFilter& filter, const Answer& answer) {
  FRAZIL_RETURN_IF_ERROR(wire::VerifyChecksum(batch));
  FRAZIL_ASSIGN_OR_RETURN(const bool admitted, filter.Admit(batch, state_.options().batch_limits));
  if (batch.last_offset() < next_) return {};
  if (admitted) FRAZIL_RETURN_IF_ERROR(TakeBatchRecords(batch, answer));
  next_ = std::max(next_, batch.next_offset());
  return {};
}

Status RangeReader::TakeBatchRecords(const wire::RecordBatch& batch, const Answer& answer) {
  FRAZIL_ASSIGN_OR_RETURN(
      wire::BatchRecords records,
      wire::BatchRecords::Open(batch, state_.options().batch_limits, decompressor_));
  pending_buffer_bytes_ += records.uncompressed_bytes();
  batch_bytes_ = records.uncompressed_bytes();
  for (bool more = true; more;) {
    const std::size_t before = pending_.records.size();
    if (before == 0) pending_.records.reserve(MostRecordsLeft());
    FRAZIL_ASSIGN_OR_RETURN(
        more, records.Append(next_, request_.end.value(), kMostRecords - before, pending_));
    const bool views_answer = batch.codec() == wire::CompressionCodec::kNone;
    if (views_answer && !pending_owns_answer_ && pending_.records.size() > before) {
      pending_.owners.push_back(answer.owner);
      pending_owns_answer_ = true;
    }
    if (!IsBlockFull()) continue;
    if (!pending_.records.empty()) next_ = pending_.records.back().offset + 1;
    FRAZIL_RETURN_IF_ERROR(Emit());
  }
  return {};
}

std::size_t RangeReader::MostRecordsLeft() const {
  return std::min(kMostRecords, static_cast<std::size_t>(request_.end.value() - next_));
}

bool RangeReader::IsBlockFull() const {
  const std::size_t payload = state_.options().block_payload_bytes;
  return pending_.payload_bytes >= payload || pending_buffer_bytes_ >= 2 * payload ||
         pending_.records.size() >= kMostRecords;
}

Status RangeReader::Emit() {
  RecordBlock block = std::exchange(pending_, {});
  pending_owns_answer_ = false;
  // Blocks after the first of a large batch share its buffer.
  const std::size_t buffer_bytes = std::max(std::exchange(pending_buffer_bytes_, 0), batch_bytes_);
  if (block.records.empty()) return {};
  block.held_bytes = answer_bytes_ + buffer_bytes;
  const Status status = sink_(std::move(block));
  sink_failed_ = !status.ok();
  return status;
}

Status RangeReader::TakeEmpty(const Answer& answer) {
  const std::int64_t stable = answer.partition.last_stable_offset;
  if (answer.throttle_time_ms > 0) return {};
  if (stable >= 0 && stable < request_.end.value()) return LogEnds(stable, answer.address);
  // An answer that was not waited for, or by a broker that does not tell its last stable offset,
  // says nothing.
  if (answer.wait >= state_.options().empty_fetch_wait && stable >= request_.end.value() &&
      ++empty_answers_ >= kEmptyAnswersThatProve) {
    next_ = request_.end.value();
    return {};
  }
  if (!patient_) {
    patient_ = true;
    return {};
  }
  if (empty_answers_ > 0) return {};
  return Error(
      ErrorCode::kKafkaUnavailable,
      "The Kafka broker answers without records and does not show that there are none: " + Place() +
          " up to " + std::to_string(request_.end.value()) + ", last stable offset " +
          std::to_string(stable) + ", at " + answer.address.ToString() + ".");
}

Status RangeReader::TakePartialBatch(std::size_t bytes) {
  fetch_bytes_floor_ = std::min(std::max(fetch_bytes_floor_, FetchBytes()) * 2,
                                state_.options().max_response_bytes / 2);
  const Error error(
      ++partial_answers_ < kPartialAnswersThatProve ? ErrorCode::kKafkaUnavailable
                                                    : ErrorCode::kCorruptData,
      "The Kafka broker sends no whole record batch that reaches the wanted offset: " +
          std::to_string(bytes) + " bytes for " + Place() + ".");
  return error;
}

Status RangeReader::TakeError(std::int16_t code, const TopicMetadata& metadata,
                              const BrokerAddress& address) {
  switch (static_cast<ProtocolError>(code)) {
    case ProtocolError::kOffsetOutOfRange:
      return TakeOutOfRange(metadata, address);
    case ProtocolError::kCorruptMessage:
      return Error(ErrorCode::kCorruptData, "The Kafka broker finds its own log damaged: " +
                                                Place() + " at " + address.ToString() + ".");
    default:
      return PartitionError(code, "Kafka does not hand out records", request_.topic,
                            request_.partition.value(), address);
  }
}

Status RangeReader::TakeOutOfRange(const TopicMetadata& metadata, const BrokerAddress& address) {
  // A topic of the same name may have taken the place of the one that was asked for.
  FRAZIL_ASSIGN_OR_RETURN(const TopicMetadata now, CheckedTopic(std::chrono::milliseconds(-1)));
  if (now != metadata) {
    return Error(ErrorCode::kKafkaUnavailable,
                 "The topic changed while it was read: " + Place() + ".");
  }
  FRAZIL_ASSIGN_OR_RETURN(ConnectionPool::Lease connection,
                          state_.Lease(address, state_.RequestDeadline(deadline_), stop_));
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t start,
                          ListOffset(connection, metadata, wire::kEarliestTimestamp));
  if (start > next_) {
    return Error(
        ErrorCode::kRecordsGone,
        "Kafka has deleted the records, by retention or on request; to show the topic as it is "
        "now, start with another --data-dir: " +
            Place() + ", the log now starts at " + std::to_string(start) + ".");
  }
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t end,
                          ListOffset(connection, metadata, wire::kLatestTimestamp));
  if (end < request_.end.value()) return LogEnds(end, address);
  return Error(ErrorCode::kKafkaUnavailable, "Kafka does not hand out records that it has: " +
                                                 Place() + " at " + address.ToString() + ".");
}

Result<std::int64_t> RangeReader::ListOffset(ConnectionPool::Lease& connection,
                                             const TopicMetadata& metadata,
                                             std::int64_t timestamp) {
  const Deadline deadline = state_.RequestDeadline(deadline_);
  FRAZIL_ASSIGN_OR_RETURN(const std::int16_t version,
                          connection->VersionOf(wire::ApiKey::kListOffsets));
  wire::ListOffsetsRequest request;
  wire::ListOffsetsRequest::Topic& topic = request.topics.emplace_back();
  topic.name = request_.topic;
  topic.partitions.push_back({request_.partition.value(), EpochToSend(metadata), timestamp});
  connection->Queue(request, version);
  FRAZIL_RETURN_IF_ERROR(connection->Flush(deadline, stop_));
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody body, connection->Receive(deadline, stop_));
  FRAZIL_ASSIGN_OR_RETURN(const wire::ListOffsetsResponse response,
                          wire::DecodeListOffsetsResponse(body.bytes, body.version));
  if (response.topics.size() != 1 || response.topics[0].partitions.size() != 1) {
    return Error(ErrorCode::kKafkaProtocol,
                 "The Kafka broker's answer is not about what was asked for: " + Place() + ".");
  }
  const wire::ListOffsetsResponse::Partition& told = response.topics[0].partitions[0];
  if (told.error_code != 0) {
    return PartitionError(told.error_code, "Kafka does not tell where the log ends", request_.topic,
                          request_.partition.value(), connection->address());
  }
  return told.offset;
}

std::int32_t RangeReader::FetchBytes() const {
  // A quarter more than needed by what was seen so far: a second fetch costs more than it saves.
  const double wanted =
      1.25 * bytes_per_offset_ * static_cast<double>(request_.end.value() - next_);
  const auto bounded =
      static_cast<std::int32_t>(std::min<double>(wanted, state_.options().fetch_max_bytes));
  return std::max(bounded, fetch_bytes_floor_);
}

std::int32_t RangeReader::EpochToSend(const TopicMetadata& metadata) const {
  const LeaderEpoch known =
      metadata.partitions[static_cast<std::size_t>(request_.partition.value())].epoch;
  if (known.value() < 0) return -1;
  // A leader of an older epoch than the range's refuses this, until it has caught up.
  return std::max(known, request_.epoch).value();
}

std::string RangeReader::Place() const {
  return NamePartition(request_.topic, request_.partition.value()) + " from offset " +
         std::to_string(next_);
}

Error RangeReader::LogEnds(std::int64_t end, const BrokerAddress& address) const {
  return Error(ErrorCode::kLogTruncated,
               "The log ends before records that had been shown: " + Place() + " up to " +
                   std::to_string(request_.end.value()) + ", but Kafka broker " +
                   address.ToString() + " has none from " + std::to_string(end) + " on.");
}

}  // namespace frazil::kafka
