// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/sigv4.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace frazil::serve::s3 {
namespace {

struct Vector {
  std::string name;
  UnixMillis now;
  std::string access_key_id;
  SigningSecret secret;
  net::HttpRequest request;
};

std::vector<Vector> ReadVectors(const std::string& file) {
  std::ifstream stream(std::string(FRAZIL_TESTDATA) + "/" + file);
  std::vector<Vector> vectors;
  for (const auto& entry : nlohmann::json::parse(stream)) {
    Vector vector;
    vector.name = entry["name"];
    vector.now = UnixMillis(entry["now"].get<std::int64_t>() * 1000);
    vector.access_key_id = entry["access_key_id"];
    vector.secret = {entry["secret_access_key"], entry["session_token"]};
    vector.request.method = entry["method"];
    vector.request.raw_path = entry["raw_path"];
    vector.request.raw_query = entry["raw_query"];
    vector.request.body = entry["body"];
    for (const auto& header : entry["headers"]) {
      vector.request.headers.push_back({header[0], header[1]});
    }
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

std::vector<Vector> AllVectors() {
  auto vectors = ReadVectors("sigv4_aws.json");
  for (auto& vector : ReadVectors("sigv4_botocore.json")) vectors.push_back(std::move(vector));
  return vectors;
}

Vector Named(const std::string& name) {
  for (auto& vector : AllVectors()) {
    if (vector.name == name) return vector;
  }
  ADD_FAILURE() << name;
  return {};
}

Result<std::string> Verify(const Vector& vector) {
  return VerifySignature(vector.request, vector.now,
                         [&vector](std::string_view id) -> Result<SigningSecret> {
                           if (id == vector.access_key_id) return vector.secret;
                           return Error(ErrorCode::kUnknownAccessKey, "unknown");
                         });
}

void ExpectError(const Vector& vector, ErrorCode code, const std::string& about = "") {
  const auto outcome = Verify(vector);
  ASSERT_FALSE(outcome.ok()) << vector.name << about;
  EXPECT_EQ(outcome.error().code(), code) << vector.name << about << outcome.error().message();
}

std::string& HeaderOf(Vector& vector, const std::string& name) {
  for (auto& header : vector.request.headers) {
    if (header.name == name) return header.value;
  }
  vector.request.headers.push_back({name, ""});
  return vector.request.headers.back().value;
}

void ReplaceIn(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

TEST(SigV4Test, TakesTheRequestsOfAwsAndOfBotocore) {
  const auto vectors = AllVectors();
  EXPECT_EQ(vectors.size(), 21U);
  for (const auto& vector : vectors) {
    const auto signer = Verify(vector);
    ASSERT_TRUE(signer.ok()) << vector.name << ": " << signer.error().ToString();
    EXPECT_EQ(*signer, vector.access_key_id);
  }
}

TEST(SigV4Test, AnotherSecretOrMethodOrPathOrBodyIsRefused) {
  for (const auto& good : AllVectors()) {
    Vector vector = good;
    vector.secret.secret_access_key += "x";
    ExpectError(vector, ErrorCode::kSignatureMismatch, " secret");
    vector = good;
    vector.request.method = good.request.method == "GET" ? "HEAD" : "GET";
    ExpectError(vector, ErrorCode::kSignatureMismatch, " method");
    vector = good;
    vector.request.raw_path += "x";
    ExpectError(vector, ErrorCode::kSignatureMismatch, " path");
    vector = good;
    vector.request.raw_query += "&versionId=1";
    ExpectError(vector, ErrorCode::kSignatureMismatch, " query");
    vector = good;
    HeaderOf(vector, "Host") += "x";
    ExpectError(vector, ErrorCode::kSignatureMismatch, " host");
    if (HeaderOf(vector, "Authorization").empty()) continue;  // presigned: body is not signed
    vector = good;
    vector.request.body += "x";
    ExpectError(vector, ErrorCode::kInvalidArgument, " body");
  }
}

TEST(SigV4Test, NoChangeOfOneBitInTheCredentialsIsTaken) {
  for (const char* name : {"plain get", "presigned"}) {
    const Vector good = Named(name);
    Vector vector = good;
    const bool presigned = std::string_view(name) == "presigned";
    const std::string text = presigned ? good.request.raw_query : HeaderOf(vector, "Authorization");
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (int bit = 0; bit < 7; ++bit) {
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
        vector = good;
        (presigned ? vector.request.raw_query : HeaderOf(vector, "Authorization")) = changed;
        const auto outcome = Verify(vector);
        // Percent escapes may change case without a change of meaning.
        if (outcome.ok()) {
          EXPECT_EQ(bit, 5) << changed;
          EXPECT_EQ(text.rfind('%', at), at - (text[at - 1] == '%' ? 1 : 2)) << changed;
        }
      }
      vector = good;
      (presigned ? vector.request.raw_query : HeaderOf(vector, "Authorization")) =
          text.substr(0, at);
      EXPECT_FALSE(Verify(vector).ok());
    }
  }
}

TEST(SigV4Test, UnsignedAndUnreadableCredentialsAreNamed) {
  Vector vector = Named("plain get");
  std::erase_if(vector.request.headers,
                [](const auto& header) { return header.name == "Authorization"; });
  ExpectError(vector, ErrorCode::kUnauthenticated);
  for (const char* text :
       {"", "Bearer x", "AWS key:signature", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 ",
        "AWS4-HMAC-SHA256 Credential=a/b/c/s3/aws4_request",
        "AWS4-HMAC-SHA256X Credential=K/20261130/r/s3/aws4_request,SignedHeaders=host,Signature=1",
        "AWS4-HMAC-SHA256 Credential=K/20261130/r/sts/aws4_request,SignedHeaders=host,Signature=1",
        "AWS4-HMAC-SHA256 Credential=K/20261130/r/s3/aws4_request,SignedHeaders=,Signature=1",
        "AWS4-HMAC-SHA256 Credential=K/20261130/r/s3/aws4_request,SignedHeaders=Host,Signature=1",
        "AWS4-HMAC-SHA256 Credential=K/20261130/r/s3/aws4_request,SignedHeaders=host;host,"
        "Signature=1",
        "AWS4-HMAC-SHA256 Credential=K/20261130/r/s3/aws4_request,SignedHeaders=host,Signature=1,"
        "Signature=2"}) {
    Vector bad = Named("plain get");
    HeaderOf(bad, "Authorization") = text;
    ExpectError(bad, ErrorCode::kUnauthenticated, text);
  }
}

TEST(SigV4Test, OneSignatureARequest) {
  Vector vector = Named("presigned");
  vector.request.headers.push_back({"Authorization", "AWS4-HMAC-SHA256 x"});
  ExpectError(vector, ErrorCode::kMalformedRequest);
  vector = Named("plain get");
  vector.request.headers.push_back({"authorization", HeaderOf(vector, "Authorization")});
  ExpectError(vector, ErrorCode::kMalformedRequest);
  vector = Named("presigned");
  vector.request.raw_query += "&X-Amz-Expires=3600";
  ExpectError(vector, ErrorCode::kUnauthenticated);
}

TEST(SigV4Test, EveryAmzHeaderAndTheHostMustBeSigned) {
  Vector vector = Named("plain get");
  vector.request.headers.push_back({"X-Amz-Meta-Sneaked", "1"});
  ExpectError(vector, ErrorCode::kUnauthenticated);
  vector = Named("plain get");
  ReplaceIn(HeaderOf(vector, "Authorization"), "SignedHeaders=host;", "SignedHeaders=");
  ExpectError(vector, ErrorCode::kUnauthenticated);
  vector = Named("GET object with a range");
  std::erase_if(vector.request.headers, [](const auto& header) { return header.name == "Range"; });
  ExpectError(vector, ErrorCode::kUnauthenticated);
}

TEST(SigV4Test, FifteenMinutesEitherWay) {
  const Vector good = Named("plain get");
  for (const std::int64_t minutes : {-15, 15}) {
    Vector vector = good;
    vector.now = good.now + minutes * 60000;
    EXPECT_TRUE(Verify(vector).ok());
    vector.now = vector.now + (minutes < 0 ? -1 : 1);
    ExpectError(vector, ErrorCode::kClockSkew);
  }
}

TEST(SigV4Test, PresignedUrlsLastAsLongAsTheySay) {
  Vector vector = Named("presigned");
  const UnixMillis made = vector.now;
  vector.now = made + 3600000;
  EXPECT_TRUE(Verify(vector).ok());
  vector.now = made + 3600001;
  ExpectError(vector, ErrorCode::kAccessDenied);
  vector.now = made + -900001;
  ExpectError(vector, ErrorCode::kClockSkew);
  for (const char* expires : {"0", "-1", "604801", "x", "", "99999999999999999999"}) {
    vector = Named("presigned");
    ReplaceIn(vector.request.raw_query, "X-Amz-Expires=3600",
              std::string("X-Amz-Expires=") + expires);
    ExpectError(vector, ErrorCode::kInvalidArgument, expires);
  }
}

TEST(SigV4Test, TheSessionTokenMustBeTheKeysOwn) {
  for (const char* name : {"plain get", "presigned"}) {
    Vector vector = Named(name);
    vector.secret.session_token = "another";
    ExpectError(vector, ErrorCode::kAccessDenied);
  }
  Vector vector = Named("no session token");
  EXPECT_TRUE(Verify(vector).ok()) << "nor has the key";
  vector.secret.session_token = "vended";
  ExpectError(vector, ErrorCode::kAccessDenied);
}

TEST(SigV4Test, UnknownKeysAreHandedThrough) {
  Vector vector = Named("plain get");
  vector.access_key_id = "other";
  ExpectError(vector, ErrorCode::kUnknownAccessKey);
}

// Signs as a client would whose payload is not hashed.
Vector SignedWithPayload(const std::string& payload, const std::string& date_header) {
  Vector vector;
  vector.now = UnixMillis(1369353600000);
  vector.access_key_id = "KEY";
  vector.secret = {"secret", ""};
  vector.request.method = "PUT";
  vector.request.raw_path = "/b/k";
  vector.request.body = "5;chunk-signature=0\r\nhello\r\n";
  vector.request.headers = {{"Host", "h"}};
  std::vector<std::string> names = {"host"};
  if (!payload.empty()) {
    vector.request.headers.push_back({"x-amz-content-sha256", payload});
    names.emplace_back("x-amz-content-sha256");
  }
  vector.request.headers.push_back(
      {date_header, date_header == "Date" ? "Fri, 24 May 2013 00:00:00 GMT" : "20130524T000000Z"});
  if (date_header != "Date") names.emplace_back("x-amz-date");
  std::string joined = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) joined += ";" + names[i];
  // printf '5;chunk-signature=0\r\nhello\r\n' | sha256sum
  const std::string body_hash = "e0cdaaa59f52a50ab67adc84b5b82971d73c8a0a4e42de2a9c657ae575bea851";
  const std::string canonical = "PUT\n/b/k\n\n" +
                                CanonicalHeaders(vector.request.headers, names).value() + "\n" +
                                joined + "\n" + (payload.empty() ? body_hash : payload);
  const std::string scope = "20130524/eu-central-2/s3/aws4_request";
  HeaderOf(vector, "Authorization") =
      "AWS4-HMAC-SHA256 Credential=KEY/" + scope + ", SignedHeaders=" + joined +
      ", Signature=" + ComputeSignature("secret", "20130524T000000Z", scope, canonical);
  return vector;
}

TEST(SigV4Test, PayloadsMayBeUnsignedOrStreamed) {
  for (const char* payload :
       {"UNSIGNED-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}) {
    EXPECT_TRUE(Verify(SignedWithPayload(payload, "x-amz-date")).ok()) << payload;
  }
  ExpectError(SignedWithPayload("nonsense", "x-amz-date"), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(Verify(SignedWithPayload("", "x-amz-date")).ok());
}

TEST(SigV4Test, TheDateHeaderStandsInForAMissingAmzDate) {
  EXPECT_TRUE(Verify(SignedWithPayload("UNSIGNED-PAYLOAD", "Date")).ok());
}

TEST(SigV4Test, CanonicalPathIsEncodedOnceAndNotNormalised) {
  EXPECT_EQ(CanonicalPath("").value(), "/");
  EXPECT_EQ(CanonicalPath("/a//b/../c/./").value(), "/a//b/../c/./");
  EXPECT_EQ(CanonicalPath("/a=b c+d").value(), "/a%3Db%20c%2Bd");
  EXPECT_EQ(CanonicalPath("/a%3db%20c%2bd").value(), "/a%3Db%20c%2Bd");
  EXPECT_EQ(CanonicalPath("/%2525~-._").value(), "/%2525~-._");
  EXPECT_FALSE(CanonicalPath("/%2").ok());
}

TEST(SigV4Test, CanonicalQueryIsSortedByName) {
  EXPECT_EQ(CanonicalQuery("").value(), "");
  EXPECT_EQ(CanonicalQuery("b=2&a=1").value(), "a=1&b=2");
  EXPECT_EQ(CanonicalQuery("a=2&a=1&a").value(), "a=&a=1&a=2");
  EXPECT_EQ(CanonicalQuery("location").value(), "location=");
  EXPECT_EQ(CanonicalQuery("a=b=c&d=e+f%20g/").value(), "a=b%3Dc&d=e%20f%20g%2F");
  EXPECT_EQ(CanonicalQuery("&&a=1&").value(), "a=1");
  EXPECT_EQ(CanonicalQuery("a=1&X-Amz-Signature=2&A=3").value(), "A=3&a=1");
  EXPECT_FALSE(CanonicalQuery("a=%").ok());
}

TEST(SigV4Test, CanonicalHeadersAreTrimmedFoldedAndJoined) {
  const net::HttpHeaders headers = {
      {"Host", " h "}, {"X-A", "  a \t b  "}, {"x-a", "c"}, {"B", ""}};
  EXPECT_EQ(CanonicalHeaders(headers, {"b", "host", "x-a"}).value(), "b:\nhost:h\nx-a:a b,c\n");
  EXPECT_FALSE(CanonicalHeaders(headers, {"missing"}).ok());
}

}  // namespace
}  // namespace frazil::serve::s3
