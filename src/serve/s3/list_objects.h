// SPDX-License-Identifier: Apache-2.0
// ListObjectsV2. Spec: Amazon S3 API reference.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/uuid.h"
#include "net/http.h"
#include "table/table_catalog.h"

namespace frazil::serve::s3 {

using net::FindParameter;
using net::QueryParameters;

struct ListRequest {
  std::string prefix;
  std::string delimiter;
  std::string start_after;
  std::optional<std::string> continuation_token;
  std::size_t max_keys = 1000;
  bool encode_urls = false;

  // Errors: invalid_argument.
  static Result<ListRequest> Parse(const QueryParameters& query);
};

// The XML of the answer. Only what lies within that table's location is ever listed.
// Errors: access_denied when the prefix reaches beyond the table's location; those of ListObjects.
Result<std::string> ListObjects(table::TableCatalog& tables, const ListRequest& request,
                                const Uuid& table_uuid);

}  // namespace frazil::serve::s3
