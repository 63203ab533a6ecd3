// SPDX-License-Identifier: Apache-2.0
// What the catalog needs of whoever hands out S3 keys. `app` connects it to serve/s3.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/uuid.h"

namespace frazil::serve::catalog {

struct VendedCredential {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;
  UnixMillis expires;
};

// Threads: may be called from several threads at once.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // Keys that read what lies below `location` of that table, valid for at least 12 h; the same
  // within an hour.
  virtual VendedCredential Vend(const Uuid& table_uuid, const std::string& location) const = 0;
};

}  // namespace frazil::serve::catalog
