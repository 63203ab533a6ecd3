// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/table_access.h"

#include "base/encoding.h"
#include "base/sha256.h"

namespace frazil::serve::catalog {
namespace {

std::string CredentialsPath(const CatalogOptions& options, const Route& route) {
  // %1F parts the levels of a namespace.
  std::string levels;
  for (const std::string& level : route.namespace_levels) {
    if (!levels.empty()) levels += "%1F";
    levels += PercentEncode(level);
  }
  return "/v1/" + PercentEncode(options.warehouse) + "/namespaces/" + levels + "/tables/" +
         PercentEncode(route.name) + "/credentials";
}

}  // namespace

iceberg::Properties StorageProperties(const CatalogOptions& options, const Route& route,
                                      const VendedCredential& credential) {
  return {
      {"s3.endpoint", options.s3_endpoint},
      {"s3.path-style-access", "true"},
      {"client.region", options.region},
      {"s3.region", options.region},
      {"s3.access-key-id", credential.access_key_id},
      {"s3.secret-access-key", credential.secret_access_key},
      {"s3.session-token", credential.session_token},
      {"s3.session-token-expires-at-ms", std::to_string(credential.expires.value())},
      // Relative to the catalog, wherever the client reaches it (Iceberg Java resolves it so). It
      // asks there from five minutes before the keys expire.
      {"client.refresh-credentials-endpoint", CredentialsPath(options, route)},
      // PyArrow gives up after 3 s without bytes, which a file that must first be made may need.
      {"s3.request-timeout", "120"},
  };
}

iceberg::StorageCredential StorageCredentialOf(const std::string& location,
                                               const iceberg::Properties& properties) {
  return {location + "/", properties};
}

std::string LoadTag(const table::LoadedTable& loaded, table::SnapshotSelection selection,
                    const iceberg::Properties& properties) {
  constexpr std::size_t kDigits = 32;
  std::string version = loaded.metadata_location;
  version += selection == table::SnapshotSelection::kAll ? "\nall" : "\nrefs";
  for (const auto& [key, value] : properties) {
    version += '\n' + key + '=' + value;
  }
  return HexEncode(Sha256(AsBytes(version))).substr(0, kDigits);
}

}  // namespace frazil::serve::catalog
