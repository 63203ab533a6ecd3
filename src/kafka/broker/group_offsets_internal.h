// SPDX-License-Identifier: Apache-2.0
// The offsets that groups have committed.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"

namespace frazil::kafka::broker {

struct GroupPartition {
  std::string topic;
  std::int32_t partition = 0;

  friend auto operator<=>(const GroupPartition&, const GroupPartition&) = default;
};

struct CommittedOffset {
  std::int64_t offset = -1;
  std::int32_t leader_epoch = -1;
  std::optional<std::string> metadata;
};

// Threads: every member may be called from several threads at once.
class GroupOffsets {
 public:
  // Of all groups together.
  explicit GroupOffsets(std::size_t most_offsets) : most_offsets_(most_offsets) {}

  // false when there is no room for one more.
  bool Commit(const std::string& group, const GroupPartition& partition, CommittedOffset offset);
  std::optional<CommittedOffset> Find(const std::string& group,
                                      const GroupPartition& partition) const;
  std::map<GroupPartition, CommittedOffset> All(const std::string& group) const;

 private:
  const std::size_t most_offsets_;
  mutable Mutex mutex_;
  std::map<std::string, std::map<GroupPartition, CommittedOffset>> groups_
      FRAZIL_GUARDED_BY(mutex_);
  std::size_t count_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::kafka::broker
