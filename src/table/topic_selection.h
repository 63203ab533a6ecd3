// SPDX-License-Identifier: Apache-2.0
// Which topics are shown as tables, and under which names: the settings topics and aliases.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frazil::table {

// ASCII letters in lower case: DuckDB and Spark take names that are equal so for the same one.
std::string FoldCase(std::string_view name);

// Threads: unchanging.
class TopicSelection {
 public:
  // Everything that is not internal, each topic under its own name.
  TopicSelection() = default;

  // `patterns`: topics' names, in which '*' stands for any characters; one that begins with '-' or
  // '!' takes topics out again. None that takes in: all topics. `aliases`: "topic=name".
  // Errors: config_invalid: what Kafka does not allow as a name, a topic or alias that stands
  // twice, names that differ by case only.
  static Result<TopicSelection> Parse(const std::vector<std::string>& patterns,
                                      const std::vector<std::string>& aliases);

  // Whether the topic is shown. Internal ones (Kafka says so, or the name begins with '_') are only
  // by their whole name or a pattern that begins with '_'.
  bool Shows(std::string_view topic, bool internal) const;
  // Whether the setting names this topic as a whole, and does not take it out.
  bool Names(std::string_view topic) const;
  // The topics that are named as a whole, in byte order, when nothing else is shown; empty when
  // there are patterns, so that only Kafka can tell.
  std::vector<std::string> NamedOnly() const;

  // The table's name: the alias, or the topic's own name.
  const std::string& TableOf(const std::string& topic) const;
  // The topic of a table's name, as far as the settings tell.
  const std::string& TopicOf(const std::string& table) const;

 private:
  Status AddPattern(const std::string& text);
  Status AddAlias(const std::string& text);
  Status CheckNames() const;

  std::vector<std::string> named_;             // sorted
  std::vector<std::string> patterns_;          // with '*'
  std::vector<std::string> excluded_;          // with or without '*'
  std::map<std::string, std::string> names_;   // by topic
  std::map<std::string, std::string> topics_;  // by alias
};

}  // namespace frazil::table
