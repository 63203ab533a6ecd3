// SPDX-License-Identifier: Apache-2.0
// Which tables there are at a moment: the cluster's topics that are selected, by table name.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "table/record_source.h"
#include "table/topic_selection.h"

namespace frazil::table {

struct ListedTopic {
  TopicName topic{};
  // The table's name.
  std::string table{};
  bool shown = false;
  // Another shown topic whose table has the same name, or one that differs by case only; empty:
  // none. Such a table is listed and cannot be loaded.
  std::string clashes_with{};
};

// Unchanging.
struct TopicListing {
  // All topics of the cluster, in byte order of their names.
  std::vector<ListedTopic> topics;
  // Names of shown tables, in byte order, each once.
  std::vector<std::string> tables;

  // Null when no shown topic has this table name.
  const ListedTopic* FindTable(const std::string& table) const;
};

// Threads: every member may be called from several threads at once.
class TopicDirectory {
 public:
  struct Options {
    // How long a listing is believed.
    std::chrono::milliseconds cache{1000};
    // How long Kafka may take.
    std::chrono::milliseconds timeout{10000};
  };

  // `source` must outlive it.
  TopicDirectory(TopicSelection selection, RecordSource& source, const Options& options)
      : selection_(std::move(selection)), source_(source), options_(options) {}

  const TopicSelection& selection() const { return selection_; }

  using Listing = std::shared_ptr<const TopicListing>;
  // The last answer of any age; null before the first one. Asks nobody.
  Listing Known() const;
  // One that is believed still, or a fresh one.
  Result<Listing> Recent(Deadline deadline, const std::stop_token& stop);
  // One that was asked for after this call began. Callers that come together share one.
  // Errors: those of RecordSource::ListTopics.
  Result<Listing> Fresh(Deadline deadline, const std::stop_token& stop);

 private:
  Listing Arrange(std::vector<TopicName> topics) const;

  const TopicSelection selection_;
  RecordSource& source_;
  const Options options_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  bool asking_ FRAZIL_GUARDED_BY(mutex_) = false;
  std::uint64_t started_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::uint64_t finished_ FRAZIL_GUARDED_BY(mutex_) = 0;
  // The last call's outcome; empty when its own caller ended it.
  std::optional<Result<Listing>> last_ FRAZIL_GUARDED_BY(mutex_);
  Listing known_ FRAZIL_GUARDED_BY(mutex_);
  Deadline believed_until_ FRAZIL_GUARDED_BY(mutex_){Deadline::TimePoint::min()};
};

}  // namespace frazil::table
