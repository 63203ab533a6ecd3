// SPDX-License-Identifier: Apache-2.0
#include "net/entity_tag.h"

#include <algorithm>

namespace frazil::net {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view WithoutBlanks(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes one entry off the list. A comma inside of quotes parts nothing.
std::string_view TakeEntry(std::string_view& list) {
  std::size_t end = 0;
  for (bool quoted = false; end < list.size() && (quoted || list[end] != ','); ++end) {
    if (list[end] == '"') quoted = !quoted;
  }
  const std::string_view entry = WithoutBlanks(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return entry;
}

}  // namespace

bool NamesTag(std::string_view list, std::string_view tag, TagComparison comparison) {
  while (!list.empty()) {
    std::string_view entry = TakeEntry(list);
    if (entry.empty()) continue;
    if (entry == "*") return true;
    if (entry.starts_with("W/")) {
      if (comparison == TagComparison::kStrong) continue;
      entry.remove_prefix(2);
    }
    if (entry.size() >= 2 && entry.starts_with('"') && entry.ends_with('"')) {
      entry = entry.substr(1, entry.size() - 2);
    }
    if (entry == tag) return true;
  }
  return false;
}

}  // namespace frazil::net
