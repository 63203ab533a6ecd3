// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/sigv4.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/encoding.h"
#include "base/sha256.h"
#include "serve/s3/dates.h"

namespace frazil::serve::s3 {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMostSkew = 15 * 60 * kSecond;
constexpr std::int64_t kLongestExpiry = 7 * 24 * 3600;
constexpr std::size_t kMostSignedHeaders = 100;

using Parameters = std::vector<std::pair<std::string, std::string>>;

Error Unreadable(std::string_view what, std::string_view text) {
  return Error(ErrorCode::kUnauthenticated, "the request's credentials cannot be read: " +
                                                std::string(what) + ": " + Printable(text));
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Everything that a request says about its own signature.
struct Claim {
  std::string access_key_id;
  // "20130524/us-east-1/s3/aws4_request".
  std::string scope;
  std::vector<std::string> signed_headers;
  std::string signature;
  // As it stands in the string to sign.
  std::string date;
  UnixMillis moment;
  // What the canonical request has in place of the body.
  std::string payload;
  std::optional<std::string> session_token;
  // Seconds; only of a presigned URL.
  std::optional<std::int64_t> expires;
};

Status ReadCredential(std::string_view text, Claim& claim) {
  const auto parts = Split(text, '/');
  if (parts.size() != 5 || parts[0].empty() || parts[1].size() != 8 || parts[3] != "s3" ||
      parts[4] != "aws4_request") {
    return Unreadable("Credential must be KEY/YYYYMMDD/REGION/s3/aws4_request", text);
  }
  claim.access_key_id = parts[0];
  claim.scope = std::string(text.substr(parts[0].size() + 1));
  return {};
}

Status ReadSignedHeaders(std::string_view text, Claim& claim) {
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), ';')) >= kMostSignedHeaders) {
    return Unreadable("SignedHeaders has too many names", text);
  }
  claim.signed_headers = Split(text, ';');
  for (const std::string& name : claim.signed_headers) {
    if (name.empty() || name != Lower(name)) {
      return Unreadable("SignedHeaders must be lower-case names parted by semicolons", text);
    }
  }
  auto sorted = claim.signed_headers;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return Unreadable("SignedHeaders has a name twice", text);
  }
  return {};
}

Status ReadDate(std::string_view text, Claim& claim) {
  const auto moment = ParseBasicDate(text);
  if (!moment) return Unreadable("X-Amz-Date must have the form 20130524T000000Z", text);
  claim.date = std::string(text);
  claim.moment = *moment;
  return {};
}

// The date of a header-signed request: x-amz-date, or else Date, which is brought to its form.
Status ReadHeaderDate(const net::HttpHeaders& headers, Claim& claim) {
  if (const auto date = net::FindHeader(headers, "x-amz-date")) return ReadDate(Trim(*date), claim);
  const auto date = net::FindHeader(headers, "Date");
  if (!date) return Unreadable("there is no x-amz-date header", "");
  const auto moment = ParseHttpDate(Trim(*date));
  if (!moment) return Unreadable("the Date header is no HTTP date", *date);
  claim.moment = *moment;
  for (const char c : FormatIsoDate(*moment).substr(0, 19)) {
    if (c != '-' && c != ':') claim.date += c;
  }
  claim.date += 'Z';
  return {};
}

std::string BodyHash(const net::HttpRequest& request) {
  return HexEncode(Sha256(AsBytes(request.body)));
}

// Looked at last: only a request that is known to be signed is worth hashing.
Status CheckPayload(const net::HttpRequest& request, const std::string& payload) {
  if (payload == kUnsignedPayload || payload.starts_with("STREAMING-")) return {};
  if (Lower(payload) == BodyHash(request)) return {};
  return Error(ErrorCode::kInvalidArgument,
               "x-amz-content-sha256 is not the hash of the request's body: " + Printable(payload));
}

Result<Claim> ReadAuthorizationHeader(const net::HttpRequest& request, std::string_view header) {
  std::string_view rest = Trim(header);
  if (!rest.starts_with(kAlgorithm) || rest.substr(kAlgorithm.size(), 1) != " ") {
    return Error(ErrorCode::kUnauthenticated,
                 "only AWS Signature Version 4 (AWS4-HMAC-SHA256) is taken, not " +
                     Printable(rest.substr(0, rest.find(' '))));
  }
  rest.remove_prefix(kAlgorithm.size());
  std::optional<std::string> credential;
  std::optional<std::string> signed_headers;
  std::optional<std::string> signature;
  for (const std::string& field : Split(rest, ',')) {
    const std::string_view text = Trim(field);
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    auto* const slot = name == "Credential"      ? &credential
                       : name == "SignedHeaders" ? &signed_headers
                       : name == "Signature"     ? &signature
                                                 : nullptr;
    if (equals == std::string_view::npos || slot == nullptr || *slot) {
      return Unreadable("the Authorization header has a part that is unknown or stands twice",
                        text);
    }
    *slot = std::string(text.substr(equals + 1));
  }
  if (!credential || !signed_headers || !signature) {
    return Unreadable("the Authorization header needs Credential, SignedHeaders and Signature", "");
  }
  Claim claim;
  claim.signature = *signature;
  FRAZIL_RETURN_IF_ERROR(ReadCredential(*credential, claim));
  FRAZIL_RETURN_IF_ERROR(ReadSignedHeaders(*signed_headers, claim));
  FRAZIL_RETURN_IF_ERROR(ReadHeaderDate(request.headers, claim));
  const auto payload = net::FindHeader(request.headers, "x-amz-content-sha256");
  claim.payload = payload ? std::string(Trim(*payload)) : BodyHash(request);
  if (const auto token = net::FindHeader(request.headers, "x-amz-security-token")) {
    claim.session_token = std::string(Trim(*token));
  }
  return claim;
}

// The one parameter of that name. Errors: unauthenticated when it stands twice.
Result<std::optional<std::string>> Parameter(const Parameters& query, std::string_view name) {
  std::optional<std::string> found;
  for (const auto& [key, value] : query) {
    if (key != name) continue;
    if (found) return Unreadable("the query has this parameter twice", name);
    found = value;
  }
  return found;
}

Result<std::string> NeededParameter(const Parameters& query, std::string_view name) {
  FRAZIL_ASSIGN_OR_RETURN(auto value, Parameter(query, name));
  if (!value) return Unreadable("the query lacks this parameter", name);
  return *std::move(value);
}

Status ReadExpires(std::string_view text, Claim& claim) {
  std::int64_t seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc() || end != text.data() + text.size() || seconds < 1 ||
      seconds > kLongestExpiry) {
    return Error(ErrorCode::kInvalidArgument,
                 "X-Amz-Expires must lie between 1 and 604800 seconds: " + Printable(text));
  }
  claim.expires = seconds;
  return {};
}

Result<Claim> ReadPresigned(const net::HttpRequest& request, const Parameters& query) {
  FRAZIL_ASSIGN_OR_RETURN(const auto algorithm, NeededParameter(query, "X-Amz-Algorithm"));
  if (algorithm != kAlgorithm)
    return Unreadable("X-Amz-Algorithm must be AWS4-HMAC-SHA256", algorithm);
  FRAZIL_ASSIGN_OR_RETURN(const auto credential, NeededParameter(query, "X-Amz-Credential"));
  FRAZIL_ASSIGN_OR_RETURN(const auto date, NeededParameter(query, "X-Amz-Date"));
  FRAZIL_ASSIGN_OR_RETURN(const auto expires, NeededParameter(query, "X-Amz-Expires"));
  FRAZIL_ASSIGN_OR_RETURN(const auto signed_headers, NeededParameter(query, "X-Amz-SignedHeaders"));
  Claim claim;
  FRAZIL_ASSIGN_OR_RETURN(claim.signature, NeededParameter(query, "X-Amz-Signature"));
  FRAZIL_ASSIGN_OR_RETURN(claim.session_token, Parameter(query, "X-Amz-Security-Token"));
  FRAZIL_RETURN_IF_ERROR(ReadCredential(credential, claim));
  FRAZIL_RETURN_IF_ERROR(ReadSignedHeaders(signed_headers, claim));
  FRAZIL_RETURN_IF_ERROR(ReadDate(date, claim));
  FRAZIL_RETURN_IF_ERROR(ReadExpires(expires, claim));
  FRAZIL_ASSIGN_OR_RETURN(auto payload, Parameter(query, "X-Amz-Content-Sha256"));
  if (!payload) {
    const auto header = net::FindHeader(request.headers, "x-amz-content-sha256");
    payload = std::string(header ? Trim(*header) : kUnsignedPayload);
  }
  claim.payload = *std::move(payload);
  return claim;
}

Result<Claim> ReadClaim(const net::HttpRequest& request) {
  FRAZIL_ASSIGN_OR_RETURN(const Parameters query, net::ParseQuery(request.raw_query, true));
  const bool presigned = std::any_of(query.begin(), query.end(), [](const auto& parameter) {
    return parameter.first == "X-Amz-Algorithm" || parameter.first == "X-Amz-Signature";
  });
  const auto headers = net::CountHeaders(request.headers, "Authorization");
  if (headers + (presigned ? 1 : 0) > 1) {
    return Error(ErrorCode::kMalformedRequest,
                 "a request may carry one signature, in the Authorization header or in the query");
  }
  if (presigned) return ReadPresigned(request, query);
  const auto header = net::FindHeader(request.headers, "Authorization");
  if (!header) {
    return Error(
        ErrorCode::kUnauthenticated,
        "the request is not signed; use the S3 keys that the catalog gives with the table");
  }
  return ReadAuthorizationHeader(request, *header);
}

// S3's own rule: host and every x-amz-* header must be signed, or they could be changed on the way.
Status CheckCoverage(const net::HttpHeaders& headers, const Claim& claim) {
  const auto is_signed = [&claim](const std::string& name) {
    return std::find(claim.signed_headers.begin(), claim.signed_headers.end(), name) !=
           claim.signed_headers.end();
  };
  if (!is_signed("host")) return Unreadable("this header must be signed", "host");
  constexpr std::string_view kPrefix = "x-amz-";
  for (const auto& header : headers) {
    if (Lower(std::string_view(header.name).substr(0, kPrefix.size())) != kPrefix) continue;
    if (!is_signed(Lower(header.name)))
      return Unreadable("this header must be signed", header.name);
  }
  return {};
}

Status CheckTime(const Claim& claim, UnixMillis now) {
  if (claim.date.substr(0, 8) != claim.scope.substr(0, 8)) {
    return Unreadable("the date and the day in Credential differ", claim.scope);
  }
  const std::int64_t age = now - claim.moment;
  if (age < -kMostSkew || (!claim.expires && age > kMostSkew)) {
    return Error(ErrorCode::kClockSkew,
                 "the request's time is more than 15 minutes away from the server's; set the "
                 "clock of the client: " +
                     claim.date);
  }
  if (claim.expires && age > *claim.expires * kSecond) {
    return Error(ErrorCode::kAccessDenied, "the presigned URL has expired");
  }
  return {};
}

Status CheckToken(const Claim& claim, const SigningSecret& secret) {
  if (EqualInConstantTime(AsBytes(claim.session_token.value_or("")),
                          AsBytes(secret.session_token))) {
    return {};
  }
  if (!claim.session_token) {
    return Error(ErrorCode::kAccessDenied,
                 "the request lacks the session token that was handed out with the access key; "
                 "give the client s3.session-token too");
  }
  return Error(ErrorCode::kAccessDenied,
               "the session token is not the one that was handed out with the access key");
}

Result<std::string> CanonicalRequest(const net::HttpRequest& request, const Claim& claim) {
  FRAZIL_ASSIGN_OR_RETURN(std::string canonical, CanonicalPath(request.raw_path));
  FRAZIL_ASSIGN_OR_RETURN(const std::string query, CanonicalQuery(request.raw_query));
  FRAZIL_ASSIGN_OR_RETURN(const std::string headers,
                          CanonicalHeaders(request.headers, claim.signed_headers));
  canonical = request.method + '\n' + canonical + '\n' + query + '\n' + headers + '\n';
  for (std::size_t i = 0; i < claim.signed_headers.size(); ++i) {
    if (i > 0) canonical += ';';
    canonical += claim.signed_headers[i];
  }
  return canonical + '\n' + claim.payload;
}

// Trimmed, and runs of spaces made one.
void AppendFolded(std::string_view value, std::string& to) {
  bool after_space = false;
  for (const char c : Trim(value)) {
    const bool space = c == ' ' || c == '\t';
    if (!space) to += c;
    if (space && !after_space) to += ' ';
    after_space = space;
  }
}

}  // namespace

Result<std::string> CanonicalPath(std::string_view raw_path) {
  const auto path = PercentDecode(raw_path);
  if (!path) {
    return Error(ErrorCode::kMalformedRequest,
                 "the path has a broken percent escape: " + Printable(raw_path));
  }
  if (path->empty()) return std::string("/");
  return PercentEncode(*path, true);
}

Result<std::string> CanonicalQuery(std::string_view raw_query) {
  FRAZIL_ASSIGN_OR_RETURN(Parameters query, net::ParseQuery(raw_query, true));
  std::erase_if(query, [](const auto& parameter) { return parameter.first == "X-Amz-Signature"; });
  for (auto& [name, value] : query) {
    name = PercentEncode(name);
    value = PercentEncode(value);
  }
  std::sort(query.begin(), query.end());
  std::string canonical;
  for (const auto& [name, value] : query) {
    if (!canonical.empty()) canonical += '&';
    canonical += name + '=' + value;
  }
  return canonical;
}

Result<std::string> CanonicalHeaders(const net::HttpHeaders& headers,
                                     const std::vector<std::string>& signed_headers) {
  std::string canonical;
  for (const std::string& name : signed_headers) {
    bool found = false;
    for (const auto& header : headers) {
      if (header.name.size() != name.size() || Lower(header.name) != name) continue;
      canonical += found ? "," : name + ":";
      AppendFolded(header.value, canonical);
      found = true;
    }
    if (!found) return Unreadable("the request lacks a header that is signed", name);
    canonical += '\n';
  }
  return canonical;
}

std::string ComputeSignature(std::string_view secret_access_key, std::string_view date,
                             std::string_view scope, std::string_view canonical_request) {
  const std::string to_sign = std::string(kAlgorithm) + '\n' + std::string(date) + '\n' +
                              std::string(scope) + '\n' +
                              HexEncode(Sha256(AsBytes(canonical_request)));
  const std::string start = "AWS4" + std::string(secret_access_key);
  Bytes key(start.begin(), start.end());
  for (const std::string& part : Split(scope, '/')) {
    const auto digest = HmacSha256(key, AsBytes(part));
    key.assign(digest.begin(), digest.end());
  }
  return HexEncode(HmacSha256(key, AsBytes(to_sign)));
}

Result<std::string> VerifySignature(const net::HttpRequest& request, UnixMillis now,
                                    const SecretLookup& lookup) {
  FRAZIL_ASSIGN_OR_RETURN(Claim claim, ReadClaim(request));
  FRAZIL_RETURN_IF_ERROR(CheckCoverage(request.headers, claim));
  FRAZIL_ASSIGN_OR_RETURN(const SigningSecret secret, lookup(claim.access_key_id));
  FRAZIL_RETURN_IF_ERROR(CheckTime(claim, now));
  FRAZIL_ASSIGN_OR_RETURN(const std::string canonical, CanonicalRequest(request, claim));
  const std::string expected =
      ComputeSignature(secret.secret_access_key, claim.date, claim.scope, canonical);
  if (!EqualInConstantTime(AsBytes(expected), AsBytes(claim.signature))) {
    return Error(ErrorCode::kSignatureMismatch,
                 "the signature is not the one that the access key gives for this request; check "
                 "the secret key, and that nothing changes the request on its way");
  }
  FRAZIL_RETURN_IF_ERROR(CheckToken(claim, secret));
  FRAZIL_RETURN_IF_ERROR(CheckPayload(request, claim.payload));
  return std::move(claim.access_key_id);
}

}  // namespace frazil::serve::s3
