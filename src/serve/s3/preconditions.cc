// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/preconditions.h"

#include "net/entity_tag.h"
#include "serve/s3/dates.h"

namespace frazil::serve::s3 {
namespace {

using net::NamesTag;
using net::TagComparison;

constexpr std::int64_t kSecond = 1000;

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// HTTP dates have whole seconds.
std::int64_t Seconds(UnixMillis moment) { return moment.value() / kSecond; }

}  // namespace

bool HasConditions(const net::HttpHeaders& headers) {
  for (const auto* name :
       {"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}) {
    if (net::FindHeader(headers, name)) return true;
  }
  return false;
}

ConditionOutcome CheckConditions(const net::HttpHeaders& headers, const table::ObjectInfo& info) {
  if (const auto match = net::FindHeader(headers, "If-Match")) {
    if (!NamesTag(*match, info.etag, TagComparison::kStrong)) return ConditionOutcome::kFailed;
  } else if (const auto since = net::FindHeader(headers, "If-Unmodified-Since")) {
    const auto moment = ParseHttpDate(Trim(*since));
    if (moment && Seconds(info.last_modified) > Seconds(*moment)) return ConditionOutcome::kFailed;
  }
  if (const auto none = net::FindHeader(headers, "If-None-Match")) {
    if (NamesTag(*none, info.etag, TagComparison::kWeak)) return ConditionOutcome::kNotModified;
  } else if (const auto since = net::FindHeader(headers, "If-Modified-Since")) {
    const auto moment = ParseHttpDate(Trim(*since));
    if (moment && Seconds(info.last_modified) <= Seconds(*moment)) {
      return ConditionOutcome::kNotModified;
    }
  }
  return ConditionOutcome::kProceed;
}

bool RangeApplies(const net::HttpHeaders& headers, const table::ObjectInfo& info) {
  const auto condition = net::FindHeader(headers, "If-Range");
  if (!condition) return true;
  const std::string_view text = Trim(*condition);
  if (const auto moment = ParseHttpDate(text)) {
    return Seconds(*moment) == Seconds(info.last_modified);
  }
  return text != "*" && text.find(',') == std::string_view::npos &&
         NamesTag(text, info.etag, TagComparison::kStrong);
}

}  // namespace frazil::serve::s3
