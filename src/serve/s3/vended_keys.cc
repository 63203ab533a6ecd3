// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/vended_keys.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/encoding.h"
#include "base/sha256.h"

namespace frazil::serve::s3 {
namespace {

// An access key id: "FZ1", 8 digits of the hour of expiry, 32 of the table's uuid, 16 check digits;
// all upper-case hexadecimal.
constexpr std::string_view kMark = "FZ1";
constexpr std::size_t kHourDigits = 8;
constexpr std::size_t kUuidDigits = 32;
constexpr std::size_t kCheckDigits = 16;
constexpr std::size_t kCheckAt = kMark.size() + kHourDigits + kUuidDigits;
constexpr std::int64_t kHour = 3600000;
constexpr std::int64_t kHoursValid = 12;

std::string UpperHex(ByteView bytes) {
  std::string hex = HexEncode(bytes);
  std::transform(hex.begin(), hex.end(), hex.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return hex;
}

Sha256Digest Derive(const Bytes& secret, std::string_view purpose, std::string_view text) {
  return HmacSha256(secret, AsBytes(std::string(purpose) + '\n' + std::string(text)));
}

std::string CheckDigits(const Bytes& secret, std::string_view unchecked) {
  return UpperHex(Derive(secret, "frazil s3 access key 1", unchecked)).substr(0, kCheckDigits);
}

std::string SecretOf(const Bytes& secret, std::string_view access_key_id) {
  return HexEncode(Derive(secret, "frazil s3 secret key 1", access_key_id));
}

std::string TokenOf(const Bytes& secret, std::string_view access_key_id) {
  return HexEncode(Derive(secret, "frazil s3 session token 1", access_key_id));
}

}  // namespace

VendedKeys::VendedKeys(Bytes secret, const Clock& clock)
    : secret_(std::move(secret)), clock_(clock) {}

VendedKey VendedKeys::Vend(const Uuid& table_uuid) const {
  // The next full hour, now included, and twelve more.
  const std::int64_t hour = (clock_.Now().value() + kHour - 1) / kHour + kHoursValid;
  Bytes hour_bytes;
  AppendBigEndian(static_cast<std::uint32_t>(hour), hour_bytes);
  std::string id = std::string(kMark) + UpperHex(hour_bytes) + UpperHex(table_uuid.bytes);
  id += CheckDigits(secret_, id);
  VendedKey key;
  key.secret_access_key = SecretOf(secret_, id);
  key.session_token = TokenOf(secret_, id);
  key.access_key_id = std::move(id);
  key.expires = UnixMillis(hour * kHour);
  return key;
}

Result<VendedKeys::Known> VendedKeys::Find(std::string_view access_key_id) const {
  const Error unknown(ErrorCode::kUnknownAccessKey,
                      "the access key was not handed out by this server; load the table from the "
                      "catalog to get one");
  if (access_key_id.size() != kCheckAt + kCheckDigits || !access_key_id.starts_with(kMark)) {
    return unknown;
  }
  const std::string_view unchecked = access_key_id.substr(0, kCheckAt);
  if (!EqualInConstantTime(AsBytes(CheckDigits(secret_, unchecked)),
                           AsBytes(access_key_id.substr(kCheckAt)))) {
    return unknown;
  }
  const auto hour = HexDecode(unchecked.substr(kMark.size(), kHourDigits));
  const auto uuid = HexDecode(unchecked.substr(kMark.size() + kHourDigits));
  if (!hour || !uuid) return unknown;
  Known known;
  known.expires = UnixMillis(std::int64_t{LoadBigEndian<std::uint32_t>(hour->data())} * kHour);
  if (clock_.Now() >= known.expires) {
    return Error(ErrorCode::kCredentialsExpired,
                 "the access key has expired; load the table again to get a new one");
  }
  std::copy(uuid->begin(), uuid->end(), known.table_uuid.bytes.begin());
  known.secret_access_key = SecretOf(secret_, access_key_id);
  known.session_token = TokenOf(secret_, access_key_id);
  return known;
}

}  // namespace frazil::serve::s3
