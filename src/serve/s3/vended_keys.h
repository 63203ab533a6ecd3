// SPDX-License-Identifier: Apache-2.0
// S3 keys derived from a secret: the same in every process and across restarts, nothing stored
// (R25).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/uuid.h"

namespace frazil::serve::s3 {

struct VendedKey {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;
  UnixMillis expires;
};

// Threads: immutable.
class VendedKeys {
 public:
  // `clock` must outlive it.
  VendedKeys(Bytes secret, const Clock& clock);

  // Valid for at least 12 h and less than 13; the same within an hour.
  VendedKey Vend(const Uuid& table_uuid) const;

  struct Known {
    std::string secret_access_key;
    std::string session_token;
    Uuid table_uuid;
    UnixMillis expires;
  };
  // What an access key id says, if it was vended here (its own check digits say so).
  // Errors: unknown_access_key, credentials_expired.
  Result<Known> Find(std::string_view access_key_id) const;

 private:
  Bytes secret_;
  const Clock& clock_;
};

}  // namespace frazil::serve::s3
