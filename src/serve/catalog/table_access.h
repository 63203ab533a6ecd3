// SPDX-License-Identifier: Apache-2.0
// What a client is told so that it can read a table's files, and the version of that answer.
#pragma once

#include <string>
#include <string_view>

#include "iceberg/rest.h"
#include "serve/catalog/catalog_handler.h"
#include "serve/catalog/credential_source.h"
#include "table/table_catalog.h"

namespace frazil::serve::catalog {

// The S3 settings of a table: endpoint, region under both of its names, keys. Every client finds
// the ones that it reads.
iceberg::Properties StorageProperties(const CatalogOptions& options,
                                      const VendedCredential& credential);

// The same settings, for everything below `location`.
iceberg::StorageCredential StorageCredentialOf(const std::string& location,
                                               const iceberg::Properties& properties);

// The ETag of a loaded table, in its quotes. It changes with the table's state, with the selection,
// and with the settings, so that an answer "not modified" never outlives the keys.
std::string LoadTag(const table::LoadedTable& loaded, table::SnapshotSelection selection,
                    const CatalogOptions& options, const VendedCredential& credential);

// Whether an If-None-Match header names `tag` (RFC 9110 13.1.2, weak comparison).
// Requires: no comma in `tag`.
bool NamesTag(std::string_view if_none_match, std::string_view tag);

}  // namespace frazil::serve::catalog
