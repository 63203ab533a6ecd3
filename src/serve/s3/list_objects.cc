// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/list_objects.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/encoding.h"
#include "serve/s3/address.h"
#include "serve/s3/dates.h"
#include "serve/s3/xml.h"

namespace frazil::serve::s3 {
namespace {

constexpr std::size_t kMostKeys = 1000;

struct Listing {
  std::vector<table::ListedObject> objects;
  std::vector<std::string> common_prefixes;
  // Set when there is more: the place after the last entry.
  std::optional<std::string> next;

  std::size_t size() const { return objects.size() + common_prefixes.size(); }
};

// Where a listing goes on after a common prefix: no UTF-8 key that begins with it comes later.
std::string After(const std::string& common_prefix) { return common_prefix + '\xff'; }

// The common prefix that `key` falls under; nullopt when it stands for itself.
std::optional<std::string> CommonPrefix(std::string_view key, const ListRequest& request) {
  if (request.delimiter.empty()) return std::nullopt;
  const auto at = key.find(request.delimiter, request.prefix.size());
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(key.substr(0, at + request.delimiter.size()));
}

// Adds one page of the catalog's listing from `place` on and moves `place` behind what was added.
// Returns whether there may be more to look at.
Result<bool> Collect(table::TableCatalog& tables, const ListRequest& request,
                     const Uuid& table_uuid, std::string& place, Listing& listing) {
  // One more than is wanted tells whether there are more; how many keys a common prefix swallows
  // nobody knows.
  const std::size_t limit =
      request.delimiter.empty() ? request.max_keys - listing.size() + 1 : kMostKeys;
  FRAZIL_ASSIGN_OR_RETURN(const table::ObjectListing page,
                          tables.ListObjects(request.prefix, place, limit));
  for (const auto& object : page.objects) {
    if (object.key <= place) continue;
    if (!LiesWithin(object.key, table_uuid)) {
      place = object.key;
      continue;
    }
    if (listing.size() == request.max_keys) {
      listing.next = place;
      return false;
    }
    if (auto common = CommonPrefix(object.key, request)) {
      place = After(*common);
      listing.common_prefixes.push_back(*std::move(common));
    } else {
      place = object.key;
      listing.objects.push_back(object);
    }
  }
  return page.truncated && !page.objects.empty();
}

Result<Listing> CollectAll(table::TableCatalog& tables, const ListRequest& request,
                           const Uuid& table_uuid) {
  Listing listing;
  std::string place = request.start_after;
  if (request.continuation_token) {
    const auto decoded = HexDecode(*request.continuation_token);
    if (!decoded) {
      return Error(ErrorCode::kInvalidArgument,
                   "continuation-token must be one that an earlier answer gave: " +
                       Printable(*request.continuation_token));
    }
    place = AsText(*decoded);
  }
  bool more = request.max_keys > 0;
  while (more) {
    FRAZIL_ASSIGN_OR_RETURN(more, Collect(tables, request, table_uuid, place, listing));
  }
  return listing;
}

std::string Render(const ListRequest& request, const Listing& listing) {
  const auto name = [&request](std::string_view text) {
    return request.encode_urls ? PercentEncode(text, true) : std::string(text);
  };
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  xml += XmlElement("Name", table::kBucket) + XmlElement("Prefix", name(request.prefix));
  if (!request.delimiter.empty()) xml += XmlElement("Delimiter", name(request.delimiter));
  if (!request.start_after.empty()) xml += XmlElement("StartAfter", name(request.start_after));
  if (request.encode_urls) xml += XmlElement("EncodingType", "url");
  xml += XmlElement("MaxKeys", std::to_string(request.max_keys));
  xml += XmlElement("KeyCount", std::to_string(listing.size()));
  xml += XmlElement("IsTruncated", listing.next ? "true" : "false");
  if (request.continuation_token) {
    xml += XmlElement("ContinuationToken", *request.continuation_token);
  }
  if (listing.next) {
    xml += XmlElement("NextContinuationToken", HexEncode(AsBytes(*listing.next)));
  }
  for (const auto& [key, info] : listing.objects) {
    xml += "<Contents>" + XmlElement("Key", name(key)) +
           XmlElement("LastModified", FormatIsoDate(info.last_modified)) +
           XmlElement("ETag", '"' + info.etag + '"') +
           XmlElement("Size", std::to_string(info.size)) + XmlElement("StorageClass", "STANDARD") +
           "</Contents>";
  }
  for (const auto& prefix : listing.common_prefixes) {
    xml += "<CommonPrefixes>" + XmlElement("Prefix", name(prefix)) + "</CommonPrefixes>";
  }
  return xml + "</ListBucketResult>";
}

Result<std::size_t> ParseMaxKeys(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0) {
    return Error(ErrorCode::kInvalidArgument,
                 "max-keys must be a whole number, not " + Printable(text));
  }
  return std::min(static_cast<std::size_t>(value), kMostKeys);
}

}  // namespace

Result<ListRequest> ListRequest::Parse(const QueryParameters& query) {
  ListRequest request;
  request.prefix = FindParameter(query, "prefix").value_or("");
  request.delimiter = FindParameter(query, "delimiter").value_or("");
  request.start_after = FindParameter(query, "start-after").value_or("");
  request.continuation_token = FindParameter(query, "continuation-token");
  if (const auto encoding = FindParameter(query, "encoding-type"); encoding && !encoding->empty()) {
    if (*encoding != "url") {
      return Error(ErrorCode::kInvalidArgument,
                   "encoding-type must be url, not " + Printable(*encoding));
    }
    request.encode_urls = true;
  }
  if (const auto most = FindParameter(query, "max-keys"); most && !most->empty()) {
    FRAZIL_ASSIGN_OR_RETURN(request.max_keys, ParseMaxKeys(*most));
  }
  return request;
}

Result<std::string> ListObjects(table::TableCatalog& tables, const ListRequest& request,
                                const Uuid& table_uuid) {
  if (!LiesWithin(request.prefix, table_uuid)) {
    return Error(ErrorCode::kAccessDenied,
                 "the access key lists only what lies below its own table's location, not " +
                     Printable(request.prefix));
  }
  FRAZIL_ASSIGN_OR_RETURN(const Listing listing, CollectAll(tables, request, table_uuid));
  return Render(request, listing);
}

}  // namespace frazil::serve::s3
