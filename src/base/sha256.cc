// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace frazil {

Sha256Digest Sha256(ByteView data) {
  Sha256Digest digest;
  unsigned int size = 0;
  FRAZIL_CHECK(EVP_Digest(data.data(), data.size(), digest.data(), &size, EVP_sha256(), nullptr) ==
               1);
  return digest;
}

Sha256Digest HmacSha256(ByteView key, ByteView data) {
  Sha256Digest digest;
  unsigned int size = 0;
  FRAZIL_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data.data(),
                    data.size(), digest.data(), &size) != nullptr);
  return digest;
}

bool EqualInConstantTime(ByteView left, ByteView right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace frazil
