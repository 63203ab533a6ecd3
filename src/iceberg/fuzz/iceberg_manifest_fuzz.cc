// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "iceberg/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frazil;  // NOLINT(google-build-using-namespace)
  const auto entries = iceberg::ReadManifest(ByteView(data, size));
  if (entries.ok()) {
    const auto again = iceberg::ReadManifest(iceberg::WriteManifest({}, *entries));
    FRAZIL_CHECK(again.ok() && *again == *entries);
  }
  const auto manifests = iceberg::ReadManifestList(ByteView(data, size));
  if (manifests.ok()) {
    const auto again = iceberg::ReadManifestList(iceberg::WriteManifestList({}, *manifests));
    FRAZIL_CHECK(again.ok() && *again == *manifests);
  }
  return 0;
}
