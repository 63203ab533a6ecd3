// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "kafka/broker/group_offsets_internal.h"

namespace frazil::kafka::broker {

bool GroupOffsets::Commit(const std::string& group, const GroupPartition& partition,
                          CommittedOffset offset) {
  MutexLock lock(mutex_);
  const auto known = groups_.find(group);
  const bool is_new = known == groups_.end() || !known->second.contains(partition);
  if (is_new && count_ >= most_offsets_) return false;
  if (is_new) ++count_;
  groups_[group][partition] = std::move(offset);
  return true;
}

std::optional<CommittedOffset> GroupOffsets::Find(const std::string& group,
                                                  const GroupPartition& partition) const {
  const auto all = All(group);
  const auto found = all.find(partition);
  if (found == all.end()) return std::nullopt;
  return found->second;
}

std::map<GroupPartition, CommittedOffset> GroupOffsets::All(const std::string& group) const {
  MutexLock lock(mutex_);
  const auto known = groups_.find(group);
  return known == groups_.end() ? std::map<GroupPartition, CommittedOffset>() : known->second;
}

}  // namespace frazil::kafka::broker
