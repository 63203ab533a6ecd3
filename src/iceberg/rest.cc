// SPDX-License-Identifier: Apache-2.0
#include "iceberg/rest.h"

#include <utility>

#include "iceberg/json_internal.h"

namespace frazil::iceberg {
namespace {

OrderedJson ToJson(const std::vector<StorageCredential>& credentials) {
  OrderedJson list = OrderedJson::array();
  for (const StorageCredential& credential : credentials) {
    OrderedJson item;
    item["prefix"] = credential.prefix;
    item["config"] = iceberg::ToJson(credential.config);
    list.push_back(std::move(item));
  }
  return list;
}

// Left out on the last page, which clients take like null.
void AddPageToken(const std::optional<std::string>& token, OrderedJson& body) {
  if (token) body["next-page-token"] = *token;
}

}  // namespace

std::string ErrorBody(const Error& error) {
  OrderedJson model;
  model["message"] = error.message();
  model["type"] = error.row().iceberg_type;
  model["code"] = error.row().http_status;
  OrderedJson body;
  body["error"] = std::move(model);
  return Dump(body);
}

std::string ConfigBody(const Properties& defaults, const Properties& overrides,
                       const std::vector<std::string>& endpoints) {
  OrderedJson body;
  body["defaults"] = ToJson(defaults);
  body["overrides"] = ToJson(overrides);
  body["endpoints"] = endpoints;
  return Dump(body);
}

std::string ListNamespacesBody(const std::vector<std::vector<std::string>>& namespaces,
                               const std::optional<std::string>& next_page_token) {
  OrderedJson body;
  body["namespaces"] = namespaces;
  AddPageToken(next_page_token, body);
  return Dump(body);
}

std::string NamespaceBody(const std::vector<std::string>& levels, const Properties& properties) {
  OrderedJson body;
  body["namespace"] = levels;
  body["properties"] = ToJson(properties);
  return Dump(body);
}

std::string ListTablesBody(const std::vector<std::string>& namespace_levels,
                           const std::vector<std::string>& tables,
                           const std::optional<std::string>& next_page_token) {
  OrderedJson identifiers = OrderedJson::array();
  for (const std::string& table : tables) {
    OrderedJson identifier;
    identifier["namespace"] = namespace_levels;
    identifier["name"] = table;
    identifiers.push_back(std::move(identifier));
  }
  OrderedJson body;
  body["identifiers"] = std::move(identifiers);
  AddPageToken(next_page_token, body);
  return Dump(body);
}

std::string LoadTableBody(const std::string& metadata_location, const std::string& metadata_json,
                          const Properties& config,
                          const std::vector<StorageCredential>& credentials) {
  // Joined by hand: the metadata is large, and its bytes are those of the file at its location.
  return R"({"metadata-location":)" + Dump(metadata_location) + R"(,"metadata":)" + metadata_json +
         R"(,"config":)" + Dump(ToJson(config)) + R"(,"storage-credentials":)" +
         Dump(ToJson(credentials)) + "}";
}

std::string CredentialsBody(const std::vector<StorageCredential>& credentials) {
  OrderedJson body;
  body["storage-credentials"] = ToJson(credentials);
  return Dump(body);
}

}  // namespace frazil::iceberg
