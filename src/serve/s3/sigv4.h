// SPDX-License-Identifier: Apache-2.0
// Checks AWS Signature Version 4 as S3 has it, in the Authorization header or in the query.
// Spec: "Authenticating Requests (AWS Signature Version 4)" of the Amazon S3 API reference.
// No clock, no state.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "net/http.h"

namespace frazil::serve::s3 {

struct SigningSecret {
  std::string secret_access_key;
  // Empty: the key has none.
  std::string session_token;
};

// Errors are handed through: unknown_access_key, credentials_expired.
using SecretLookup = std::function<Result<SigningSecret>(std::string_view access_key_id)>;

// Who signed the request: the access key id. Any region is taken, the service must be s3. A hash in
// x-amz-content-sha256 must be that of the body; UNSIGNED-PAYLOAD and the STREAMING-... values are
// taken as they are, and chunk signatures are not looked at (writes are refused anyway). The
// session token must be the key's, in the header or the query; a key without one takes none.
// Errors: unauthenticated (no credentials, or ones that cannot be read); malformed_request (two
// kinds of credentials at once, a broken escape); invalid_argument (hash of another body, bad
// expiry); clock_skew; access_denied (a presigned URL that has expired, a missing or foreign
// session token); signature_mismatch; those of `lookup`.
Result<std::string> VerifySignature(const net::HttpRequest& request, UnixMillis now,
                                    const SecretLookup& lookup);

// The parts that are signed, open for tests.
// The path, decoded and encoded again, not normalised. Errors: malformed_request.
Result<std::string> CanonicalPath(std::string_view raw_path);
// The query without X-Amz-Signature, sorted, each name and value encoded once.
// Errors: malformed_request.
Result<std::string> CanonicalQuery(std::string_view raw_query);
// Errors: unauthenticated when the request lacks one of the headers.
Result<std::string> CanonicalHeaders(const net::HttpHeaders& headers,
                                     const std::vector<std::string>& signed_headers);
// Hexadecimal. `scope` is "20130524/us-east-1/s3/aws4_request", `date` "20130524T000000Z".
std::string ComputeSignature(std::string_view secret_access_key, std::string_view date,
                             std::string_view scope, std::string_view canonical_request);

}  // namespace frazil::serve::s3
