// SPDX-License-Identifier: Apache-2.0
// The error codes of Kafka's protocol (kafka.apache.org/protocol, "Error Codes").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frazil::kafka::wire {

// Those that Frazil acts upon; any other 16-bit value may arrive too.
enum class ProtocolError : std::int16_t {
  kUnknownServerError = -1,
  kNone = 0,
  kOffsetOutOfRange = 1,
  kCorruptMessage = 2,
  kUnknownTopicOrPartition = 3,
  kLeaderNotAvailable = 5,
  kNotLeaderOrFollower = 6,
  kMessageTooLarge = 10,
  kOffsetMetadataTooLarge = 12,
  kInvalidTopic = 17,
  kInvalidRequiredAcks = 21,
  kUnknownMemberId = 25,
  kTopicAuthorizationFailed = 29,
  kClusterAuthorizationFailed = 31,
  kUnsupportedVersion = 35,
  kTopicAlreadyExists = 36,
  kInvalidPartitions = 37,
  kInvalidReplicationFactor = 38,
  kInvalidReplicaAssignment = 39,
  kInvalidConfig = 40,
  kInvalidRequest = 42,
  kUnsupportedForMessageFormat = 43,
  kPolicyViolation = 44,
  kOutOfOrderSequenceNumber = 45,
  kInvalidProducerEpoch = 47,
  kTransactionalIdAuthorizationFailed = 53,
  kKafkaStorageError = 56,
  kUnknownProducerId = 59,
  kFetchSessionIdNotFound = 70,
  kFencedLeaderEpoch = 74,
  kUnknownLeaderEpoch = 75,
  kUnsupportedCompressionType = 76,
  kOffsetNotAvailable = 78,
  kInvalidRecord = 87,
  kUnknownTopicId = 100,
  kInconsistentTopicId = 103,
};

struct ProtocolErrorRow {
  std::int16_t code;
  std::string_view name;
  // Whether Kafka's own clients repeat a request that failed with it.
  bool retriable;
};

// nullptr for a code that the protocol does not list.
const ProtocolErrorRow* FindProtocolError(std::int16_t code);
bool IsRetriable(std::int16_t code);
// "NOT_LEADER_OR_FOLLOWER (6)"; "unknown error (999)".
std::string DescribeProtocolError(std::int16_t code);

}  // namespace frazil::kafka::wire
