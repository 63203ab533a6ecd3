// SPDX-License-Identifier: Apache-2.0
#include "table/topic_directory.h"

#include <algorithm>
#include <utility>

#include "table/guarded_call.h"

namespace frazil::table {

const ListedTopic* TopicListing::FindTable(const std::string& table) const {
  const auto found = std::find_if(
      topics.begin(), topics.end(),
      [&table](const ListedTopic& listed) { return listed.shown && listed.table == table; });
  return found == topics.end() ? nullptr : &*found;
}

TopicDirectory::Listing TopicDirectory::Arrange(std::vector<TopicName> topics) const {
  std::sort(topics.begin(), topics.end(),
            [](const TopicName& left, const TopicName& right) { return left.name < right.name; });
  auto listing = std::make_shared<TopicListing>();
  std::map<std::string, std::size_t> by_folded_name;
  for (TopicName& topic : topics) {
    ListedTopic listed{.topic = std::move(topic), .table = {}, .shown = false, .clashes_with = {}};
    listed.table = selection_.TableOf(listed.topic.name);
    listed.shown = selection_.Shows(listed.topic.name, listed.topic.internal);
    if (listed.shown) {
      listing->tables.push_back(listed.table);
      const auto [other, added] =
          by_folded_name.emplace(FoldCase(listed.table), listing->topics.size());
      if (!added) {
        ListedTopic& earlier = listing->topics[other->second];
        listed.clashes_with = earlier.topic.name;
        if (earlier.clashes_with.empty()) earlier.clashes_with = listed.topic.name;
      }
    }
    listing->topics.push_back(std::move(listed));
  }
  std::sort(listing->tables.begin(), listing->tables.end());
  const auto repeated = std::unique(listing->tables.begin(), listing->tables.end());
  listing->tables.erase(repeated, listing->tables.end());
  return listing;
}

TopicDirectory::Listing TopicDirectory::Known() const {
  MutexLock lock(mutex_);
  return known_;
}

Result<TopicDirectory::Listing> TopicDirectory::Recent(Deadline deadline,
                                                       const std::stop_token& stop) {
  {
    MutexLock lock(mutex_);
    if (known_ && !believed_until_.Expired()) return known_;
  }
  return Fresh(deadline, stop);
}

Result<TopicDirectory::Listing> TopicDirectory::Fresh(Deadline deadline,
                                                      const std::stop_token& stop) {
  {
    MutexLock lock(mutex_);
    std::uint64_t ticket = started_ + 1;
    while (true) {
      if (finished_ >= ticket) {
        if (last_) return *last_;
        ticket = started_ + 1;
      }
      if (!asking_) break;
      changed_.WaitUntil(mutex_, deadline, stop);
      if (stop.stop_requested()) {
        return Error(ErrorCode::kCancelled, "the client left before the topics were listed");
      }
      if (deadline.Expired()) {
        return Error(ErrorCode::kDeadlineExceeded, "Kafka did not list its topics in time");
      }
    }
    asking_ = true;
    ++started_;
  }
  auto topics =
      GuardedCall([&] { return source_.ListTopics(deadline.Within(options_.timeout), stop); });
  auto outcome =
      topics.ok() ? Result<Listing>(Arrange(std::move(*topics))) : Result<Listing>(topics.error());
  MutexLock lock(mutex_);
  asking_ = false;
  finished_ = started_;
  const bool own_end = !outcome.ok() && (outcome.error().code() == ErrorCode::kCancelled ||
                                         outcome.error().code() == ErrorCode::kDeadlineExceeded);
  last_.reset();
  if (!own_end) last_.emplace(outcome);
  if (outcome.ok()) {
    known_ = *outcome;
    believed_until_ = Deadline::After(options_.cache);
  }
  changed_.NotifyAll();
  return outcome;
}

}  // namespace frazil::table
