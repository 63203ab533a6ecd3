// SPDX-License-Identifier: Apache-2.0
// Bodies of the Iceberg REST catalog protocol.
// Spec: Apache Iceberg REST Catalog OpenAPI. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "iceberg/table_metadata.h"

namespace frazil::iceberg {

// {"error":{"message":...,"type":...,"code":...}} of the error's row.
std::string ErrorBody(const Error& error);

// GET /v1/config.
std::string ConfigBody(const Properties& defaults, const Properties& overrides,
                       const std::vector<std::string>& endpoints);

// GET /v1/{prefix}/namespaces; each namespace is a list of levels.
std::string ListNamespacesBody(const std::vector<std::vector<std::string>>& namespaces,
                               const std::optional<std::string>& next_page_token);

// GET /v1/{prefix}/namespaces/{namespace}.
std::string NamespaceBody(const std::vector<std::string>& levels, const Properties& properties);

// GET /v1/{prefix}/namespaces/{namespace}/tables.
std::string ListTablesBody(const std::vector<std::string>& namespace_levels,
                           const std::vector<std::string>& tables,
                           const std::optional<std::string>& next_page_token);

struct StorageCredential {
  std::string prefix;
  Properties config;
};

// GET /v1/{prefix}/namespaces/{namespace}/tables/{table}. `metadata_json` is put in as it is.
std::string LoadTableBody(const std::string& metadata_location, const std::string& metadata_json,
                          const Properties& config,
                          const std::vector<StorageCredential>& credentials);

// GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials.
std::string CredentialsBody(const std::vector<StorageCredential>& credentials);

}  // namespace frazil::iceberg
