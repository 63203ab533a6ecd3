// SPDX-License-Identifier: Apache-2.0
// What a client is told so that it can read a table's files, and the version of that answer.
#pragma once

#include <string>

#include "iceberg/rest.h"
#include "serve/catalog/catalog_handler.h"
#include "serve/catalog/credential_source.h"
#include "serve/catalog/route.h"
#include "table/table_catalog.h"

namespace frazil::serve::catalog {

// The S3 settings of the table that `route` names: endpoint, region under both of its names, keys,
// and where to get the next ones. Every client finds the ones that it reads.
iceberg::Properties StorageProperties(const CatalogOptions& options, const Route& route,
                                      const VendedCredential& credential);

// The same settings, for everything below `location`.
iceberg::StorageCredential StorageCredentialOf(const std::string& location,
                                               const iceberg::Properties& properties);

// The ETag of a loaded table, without quotes. It changes with the table's state, with the
// selection, and with the settings, so that an answer "not modified" never outlives the keys.
std::string LoadTag(const table::LoadedTable& loaded, table::SnapshotSelection selection,
                    const iceberg::Properties& properties);

}  // namespace frazil::serve::catalog
