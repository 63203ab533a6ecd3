// SPDX-License-Identifier: Apache-2.0
// Values that show every field of what this module writes. Golden files and the check against
// other readers (tests/interop) are made of them.
#pragma once

#include <string>
#include <vector>

#include "iceberg/manifest.h"
#include "iceberg/table_metadata.h"

namespace frazil::iceberg::test {

// A column of each type, nested ones too.
Schema SampleSchema();
// One entry of each status; the first has metrics with bounds for each leaf.
std::vector<ManifestEntry> SampleEntries();
ManifestListHeader SampleListHeader();
std::vector<ManifestFile> SampleManifestFiles();
// Three snapshots, two schemas, both logs.
TableMetadata SampleMetadata();
// The same table before its first snapshot.
TableMetadata EmptyMetadata();

struct SampleFile {
  std::string name;
  Bytes content;
};

// All that is written of the samples, as files.
std::vector<SampleFile> SampleFiles();

}  // namespace frazil::iceberg::test
