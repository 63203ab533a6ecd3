// SPDX-License-Identifier: Apache-2.0
#include "table/topic_selection.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "table/object_names.h"

namespace frazil::table {
namespace {

Error Refuse(std::string message) { return Error(ErrorCode::kConfigInvalid, std::move(message)); }

bool HasStar(std::string_view text) { return text.find('*') != std::string_view::npos; }

// A topic's name where each '*' may stand for anything.
bool IsPattern(std::string_view text) {
  std::string without;
  std::copy_if(text.begin(), text.end(), std::back_inserter(without),
               [](char c) { return c != '*'; });
  if (without.size() == text.size()) return IsTopicName(text);
  return without.empty() || without == "." || without == ".." || IsTopicName(without);
}

// Linear but for the last '*', to which it goes back.
bool Matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

std::string FoldCase(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

Result<TopicSelection> TopicSelection::Parse(const std::vector<std::string>& patterns,
                                             const std::vector<std::string>& aliases) {
  TopicSelection selection;
  for (const std::string& text : patterns) {
    FRAZIL_RETURN_IF_ERROR(selection.AddPattern(text));
  }
  std::sort(selection.named_.begin(), selection.named_.end());
  for (const std::string& text : aliases) {
    FRAZIL_RETURN_IF_ERROR(selection.AddAlias(text));
  }
  FRAZIL_RETURN_IF_ERROR(selection.CheckNames());
  return selection;
}

Status TopicSelection::AddPattern(const std::string& text) {
  const bool out = text.starts_with('-') || text.starts_with('!');
  const std::string pattern = out ? text.substr(1) : text;
  if (!IsPattern(pattern)) {
    return Refuse(
        "setting topics holds what Kafka does not allow as a topic's name, also not with * for any "
        "characters: " +
        Printable(text));
  }
  std::vector<std::string>& list = out ? excluded_ : HasStar(pattern) ? patterns_ : named_;
  if (std::find(list.begin(), list.end(), pattern) != list.end()) {
    return Refuse("setting topics names a topic twice: " + text);
  }
  list.push_back(pattern);
  return {};
}

Status TopicSelection::AddAlias(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string topic = text.substr(0, equals);
  const std::string name = equals == std::string::npos ? std::string() : text.substr(equals + 1);
  if (!IsTopicName(topic) || !IsTopicName(name)) {
    return Refuse(
        "setting aliases takes TOPIC=NAME, where both are of letters, digits, '.', '_' and '-', "
        "not " +
        Printable(text));
  }
  if (!names_.emplace(topic, name).second) {
    return Refuse("setting aliases names a topic twice: " + topic);
  }
  const auto [other, added] = topics_.emplace(name, topic);
  if (!added) {
    return Refuse("setting aliases gives topics " + other->second + " and " + topic +
                  " the same name: " + name);
  }
  return {};
}

Status TopicSelection::CheckNames() const {
  std::map<std::string, std::string> topic_of_name;  // by the folded name
  std::vector<std::string> topics = named_;
  for (const auto& [topic, name] : names_) topics.push_back(topic);
  for (const std::string& topic : topics) {
    const auto [other, added] = topic_of_name.emplace(FoldCase(TableOf(topic)), topic);
    if (added || other->second == topic) continue;
    return Refuse("topics " + other->second + " and " + topic +
                  " would be tables of one name, for engines do not tell upper from lower case; "
                  "give one of them another name in the setting aliases: " +
                  TableOf(topic));
  }
  return {};
}

bool TopicSelection::Names(std::string_view topic) const {
  return std::binary_search(named_.begin(), named_.end(), topic) && Shows(topic, false);
}

bool TopicSelection::Shows(std::string_view topic, bool internal) const {
  const auto matches = [topic](const std::string& pattern) { return Matches(pattern, topic); };
  if (std::any_of(excluded_.begin(), excluded_.end(), matches)) return false;
  if (std::binary_search(named_.begin(), named_.end(), topic)) return true;
  const bool hidden = internal || topic.starts_with('_');
  if (patterns_.empty()) return named_.empty() && !hidden;
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    return (!hidden || pattern.starts_with('_')) && matches(pattern);
  });
}

std::vector<std::string> TopicSelection::NamedOnly() const {
  if (!patterns_.empty()) return {};
  std::vector<std::string> shown;
  std::copy_if(named_.begin(), named_.end(), std::back_inserter(shown),
               [this](const std::string& topic) { return Names(topic); });
  return shown;
}

const std::string& TopicSelection::TableOf(const std::string& topic) const {
  const auto found = names_.find(topic);
  return found == names_.end() ? topic : found->second;
}

const std::string& TopicSelection::TopicOf(const std::string& table) const {
  const auto found = topics_.find(table);
  return found == topics_.end() ? table : found->second;
}

}  // namespace frazil::table
