// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/table_access.h"

#include "base/encoding.h"
#include "base/sha256.h"

namespace frazil::serve::catalog {

iceberg::Properties StorageProperties(const CatalogOptions& options,
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
      // PyArrow gives up after 3 s without bytes, which a file that must first be made may need.
      {"s3.request-timeout", "120"},
  };
}

iceberg::StorageCredential StorageCredentialOf(const std::string& location,
                                               const iceberg::Properties& properties) {
  return {location + "/", properties};
}

std::string LoadTag(const table::LoadedTable& loaded, table::SnapshotSelection selection,
                    const CatalogOptions& options, const VendedCredential& credential) {
  constexpr std::size_t kDigits = 32;
  std::string version = loaded.metadata_location;
  version += selection == table::SnapshotSelection::kAll ? "\nall" : "\nrefs";
  for (const auto& [key, value] : StorageProperties(options, credential)) {
    version += '\n' + key + '=' + value;
  }
  return '"' + HexEncode(Sha256(AsBytes(version))).substr(0, kDigits) + '"';
}

bool NamesTag(std::string_view if_none_match, std::string_view tag) {
  while (!if_none_match.empty()) {
    const auto comma = if_none_match.find(',');
    std::string_view part = if_none_match.substr(0, comma);
    if_none_match.remove_prefix(comma == std::string_view::npos ? part.size() : comma + 1);
    while (part.starts_with(' ') || part.starts_with('\t')) part.remove_prefix(1);
    while (part.ends_with(' ') || part.ends_with('\t')) part.remove_suffix(1);
    if (part.starts_with("W/")) part.remove_prefix(2);
    if (part == tag || part == "*") return true;
  }
  return false;
}

}  // namespace frazil::serve::catalog
