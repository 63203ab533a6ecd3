// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/s3_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/s3/dates.h"
#include "serve/s3/sigv4.h"
#include "serve/test/fake_table_catalog.h"

namespace frazil::serve::s3 {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kNow = 1700000000000;
constexpr const char* kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

class FixedClock final : public Clock {
 public:
  UnixMillis Now() const override { return now; }
  UnixMillis now{kNow};
};

std::string BasicDate(UnixMillis moment) {
  std::string date;
  for (const char c : FormatIsoDate(moment).substr(0, 19)) {
    if (c != '-' && c != ':') date += c;
  }
  return date + "Z";
}

class S3HandlerTest : public testing::Test {
 protected:
  S3HandlerTest() {
    root_ = tables_.AddTable("orders", uuid_);
    other_root_ = tables_.AddTable("payments", other_uuid_);
    for (int i = 0; i < 10; ++i) content_.push_back(static_cast<std::uint8_t>('0' + i));
    key_ = root_ + "/data/a.parquet";
    tables_.AddObject(key_, content_);
    tables_.AddObject(root_ + "/data/b.parquet", content_);
    tables_.AddObject(root_ + "/empty", {});
    tables_.AddObject(root_ + "/metadata/00001-a.metadata.json", content_);
    tables_.AddObject(other_root_ + "/data/a.parquet", content_);
  }

  // Signs as a client with `key` does.
  net::HttpRequest Signed(const std::string& method, const std::string& target,
                          net::HttpHeaders headers, const VendedKey& key,
                          const std::string& host = "127.0.0.1:8182") {
    net::HttpRequest request;
    request.method = method;
    const auto mark = target.find('?');
    request.raw_path = target.substr(0, mark);
    if (mark != std::string::npos) request.raw_query = target.substr(mark + 1);
    request.headers = {{"Host", host},
                       {"X-Amz-Content-SHA256", kEmptyHash},
                       {"X-Amz-Date", BasicDate(clock_.now)},
                       {"X-Amz-Security-Token", key.session_token}};
    const std::string names = "host;x-amz-content-sha256;x-amz-date;x-amz-security-token";
    const std::string date = BasicDate(clock_.now);
    const std::string scope = date.substr(0, 8) + "/any-region/s3/aws4_request";
    const std::string canonical =
        method + "\n" + CanonicalPath(request.raw_path).value() + "\n" +
        CanonicalQuery(request.raw_query).value() + "\n" +
        CanonicalHeaders(request.headers,
                         {"host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"})
            .value() +
        "\n" + names + "\n" + kEmptyHash;
    request.headers.push_back(
        {"Authorization", "AWS4-HMAC-SHA256 Credential=" + key.access_key_id + "/" + scope +
                              ", SignedHeaders=" + names + ", Signature=" +
                              ComputeSignature(key.secret_access_key, date, scope, canonical)});
    for (auto& header : headers) request.headers.push_back(std::move(header));
    return request;
  }

  // A presigned URL, valid for a minute; without a session token when the key has none.
  net::HttpRequest Presigned(const std::string& path, const VendedKey& key) {
    net::HttpRequest request;
    request.method = "GET";
    request.raw_path = path;
    request.headers = {{"Host", "127.0.0.1:8182"}};
    const std::string date = BasicDate(clock_.now);
    const std::string scope = date.substr(0, 8) + "/any-region/s3/aws4_request";
    request.raw_query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=" + date +
                        "&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Credential=" +
                        PercentEncode(key.access_key_id + "/" + scope);
    if (!key.session_token.empty()) {
      request.raw_query += "&X-Amz-Security-Token=" + PercentEncode(key.session_token);
    }
    const std::string canonical =
        "GET\n" + CanonicalPath(path).value() + "\n" + CanonicalQuery(request.raw_query).value() +
        "\n" + CanonicalHeaders(request.headers, {"host"}).value() + "\nhost\nUNSIGNED-PAYLOAD";
    request.raw_query +=
        "&X-Amz-Signature=" + ComputeSignature(key.secret_access_key, date, scope, canonical);
    return request;
  }

  net::HttpResponse Handle(const net::HttpRequest& request) {
    const net::RequestContext context{{}, Deadline::After(std::chrono::seconds(5)), "test:1"};
    auto response = handler_->Handle(request, context);
    EXPECT_EQ(net::FindHeader(response.headers, "x-amz-request-id").value_or("").size(), 16U);
    return response;
  }

  net::HttpResponse Send(const std::string& method, const std::string& target,
                         net::HttpHeaders headers = {}) {
    return Handle(Signed(method, target, std::move(headers), keys_.Vend(uuid_)));
  }

  static std::string SentBytes(const net::HttpResponse& response) {
    if (!response.slice) return "no slice";
    return std::string(
        AsText(*response.slice->bytes).substr(response.slice->begin, response.slice->length));
  }

  static std::string Header(const net::HttpResponse& response, std::string_view name) {
    return std::string(net::FindHeader(response.headers, name).value_or(""));
  }

  void ExpectError(const net::HttpResponse& response, int status, const std::string& code,
                   const std::string& words = "") {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(Header(response, "Content-Type"), "application/xml");
    EXPECT_THAT(response.body, HasSubstr("<Code>" + code + "</Code>"));
    EXPECT_THAT(response.body, HasSubstr(words));
    EXPECT_THAT(response.body, HasSubstr("<RequestId>" + Header(response, "x-amz-request-id") +
                                         "</RequestId></Error>"));
  }

  FixedClock clock_;
  FakeTableCatalog tables_;
  Uuid uuid_ = Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1").value();
  Uuid other_uuid_ = Uuid::Parse("00000000-0000-4000-8000-000000000002").value();
  std::string root_;
  std::string other_root_;
  std::string key_;
  Bytes content_;
  VendedKeys keys_{Bytes(32, 1), clock_};
  std::vector<std::string> log_;
  std::unique_ptr<telemetry::Logger> logger_ =
      telemetry::MakeLogger(telemetry::LogLevel::kInfo, telemetry::LogFormat::kJson,
                            [this](std::string_view line) { log_.emplace_back(line); });
  std::unique_ptr<net::HttpHandler> handler_ = MakeS3Handler(tables_, keys_, clock_, *logger_);
};

TEST_F(S3HandlerTest, GetSendsAllBytesWithoutACopy) {
  const auto response = Send("GET", "/frazil/" + key_);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(SentBytes(response), "0123456789");
  EXPECT_EQ(response.slice->bytes.get(),
            tables_.ReadObject(key_, Deadline::After({}), {}).value().bytes.get());
  EXPECT_EQ(Header(response, "ETag"), "\"" + tables_.StatObject(key_).value().etag + "\"");
  EXPECT_EQ(Header(response, "Last-Modified"), "Tue, 14 Nov 2023 22:13:20 GMT");
  EXPECT_EQ(Header(response, "Accept-Ranges"), "bytes");
  EXPECT_EQ(Header(response, "Content-Range"), "");
}

TEST_F(S3HandlerTest, HeadMakesNoFileAndAgreesWithGet) {
  for (const char* range : {"", "bytes=0-3", "bytes=-8", "bytes=10-", "bytes=9-99", "bytes=0-0",
                            "bytes=5-2", "bytes=0-1,4-5", "bytes=-0"}) {
    for (const auto& key : {key_, root_ + "/empty"}) {
      net::HttpHeaders headers;
      if (*range != '\0') headers.push_back({"Range", range});
      const int reads = tables_.reads();
      const auto head = Send("HEAD", "/frazil/" + key, headers);
      EXPECT_EQ(tables_.reads(), reads);
      const auto get = Send("GET", "/frazil/" + key, headers);
      EXPECT_EQ(head.status, get.status) << range << " " << key;
      EXPECT_TRUE(head.body.empty());
      EXPECT_FALSE(head.slice);
      for (const char* name : {"ETag", "Last-Modified", "Accept-Ranges", "Content-Range"}) {
        EXPECT_EQ(Header(head, name), Header(get, name)) << range;
      }
      if (get.slice) {
        EXPECT_EQ(Header(head, "Content-Length"), std::to_string(get.slice->length)) << range;
      }
    }
  }
}

TEST_F(S3HandlerTest, HeadAndGetAgreeUnderEveryCondition) {
  const std::string tag = "\"" + tables_.StatObject(key_).value().etag + "\"";
  const std::string moment = "Tue, 14 Nov 2023 22:13:20 GMT";
  const std::vector<net::HttpHeader> conditions = {
      {"If-None-Match", tag},        {"If-None-Match", "*"},
      {"If-None-Match", "\"x\""},    {"If-Match", tag},
      {"If-Match", "\"x\""},         {"If-Range", tag},
      {"If-Range", "\"x\""},         {"If-Range", moment},
      {"If-Modified-Since", moment}, {"If-Unmodified-Since", moment}};
  for (const net::HttpHeader& condition : conditions) {
    for (const char* range : {"bytes=2-4", "bytes=-3", "bytes=10-", "bytes=0-1,4-5"}) {
      const net::HttpHeaders headers = {condition, {"Range", range}};
      const auto head = Send("HEAD", "/frazil/" + key_, headers);
      const auto get = Send("GET", "/frazil/" + key_, headers);
      const std::string what = condition.name + " " + condition.value + " " + range;
      EXPECT_EQ(head.status, get.status) << what;
      EXPECT_EQ(Header(head, "ETag"), Header(get, "ETag")) << what;
      EXPECT_EQ(Header(head, "Content-Range"), Header(get, "Content-Range")) << what;
      if (!get.slice) continue;
      EXPECT_EQ(Header(head, "Content-Length"), std::to_string(get.slice->length)) << what;
      EXPECT_EQ(get.status == 206, get.slice->length != 10) << what;
    }
  }
}

// A checksum of the whole object beside a part makes SDKs refuse the part.
TEST_F(S3HandlerTest, NoAnswerCarriesAChecksum) {
  for (const char* range : {"bytes=0-", "bytes=2-4"}) {
    const auto response = Send("GET", "/frazil/" + key_, {{"Range", range}});
    EXPECT_EQ(response.status, 206);
    for (const auto& header : response.headers) {
      EXPECT_FALSE(header.name.starts_with("x-amz-checksum")) << header.name;
      EXPECT_NE(header.name, "Content-MD5");
    }
  }
}

TEST_F(S3HandlerTest, RangesGiveTheirBytes) {
  const auto range = [this](const std::string& text, const std::string& key) {
    return Send("GET", "/frazil/" + key, {{"Range", text}});
  };
  auto part = range("bytes=2-4", key_);
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(SentBytes(part), "234");
  EXPECT_EQ(Header(part, "Content-Range"), "bytes 2-4/10");
  part = range("bytes=-8", key_);
  EXPECT_EQ(SentBytes(part), "23456789");
  EXPECT_EQ(Header(part, "Content-Range"), "bytes 2-9/10");
  EXPECT_EQ(SentBytes(range("bytes=8-", key_)), "89");
  EXPECT_EQ(SentBytes(range("bytes=8-100", key_)), "89");
  for (const char* outside : {"bytes=10-", "bytes=-0", "bytes=11-12"}) {
    const auto refused = range(outside, key_);
    ExpectError(refused, 416, "InvalidRange");
    EXPECT_EQ(Header(refused, "Content-Range"), "bytes */10");
    EXPECT_FALSE(refused.slice);
  }
  EXPECT_EQ(Header(range("bytes=0-", root_ + "/empty"), "Content-Range"), "bytes */0");
  for (const char* ignored : {"bytes=5-2", "bytes=0-1,4-5", "nonsense"}) {
    const auto whole = range(ignored, key_);
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(SentBytes(whole), "0123456789");
  }
  EXPECT_EQ(Send("GET", "/frazil/" + key_, {{"Range", "bytes=0-1"}, {"Range", "bytes=2-3"}}).status,
            200);
}

TEST_F(S3HandlerTest, ConditionsAreAnsweredWithoutMakingTheFile) {
  const std::string tag = "\"" + tables_.StatObject(key_).value().etag + "\"";
  const auto unchanged = Send("GET", "/frazil/" + key_, {{"If-None-Match", tag}});
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(Header(unchanged, "ETag"), tag);
  EXPECT_FALSE(unchanged.slice);
  ExpectError(Send("GET", "/frazil/" + key_, {{"If-Match", "\"x\""}}), 412, "PreconditionFailed");
  EXPECT_EQ(Send("GET", "/frazil/" + key_, {{"If-Modified-Since", "Tue, 14 Nov 2023 22:13:20 GMT"}})
                .status,
            304);
  EXPECT_EQ(tables_.reads(), 0);
  EXPECT_EQ(Send("GET", "/frazil/" + key_, {{"If-Match", tag}}).status, 200);
  const auto stale =
      Send("GET", "/frazil/" + key_, {{"Range", "bytes=0-1"}, {"If-Range", "\"x\""}});
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(Send("GET", "/frazil/" + key_, {{"Range", "bytes=0-1"}, {"If-Range", tag}}).status,
            206);
}

TEST_F(S3HandlerTest, AKeyReadsOnlyItsOwnTable) {
  ExpectError(Send("GET", "/frazil/" + other_root_ + "/data/a.parquet"), 403, "AccessDenied");
  // The same for what does not exist: nothing is told about other tables.
  const auto missing = Send("GET", "/frazil/" + other_root_ + "/nothing");
  const auto present = Send("GET", "/frazil/" + other_root_ + "/data/b.parquet");
  ExpectError(missing, 403, "AccessDenied");
  EXPECT_EQ(missing.body.substr(0, missing.body.find("<Resource>")),
            present.body.substr(0, present.body.find("<Resource>")));
  ExpectError(Send("GET", "/frazil/speed/" + uuid_.ToString() + "/x"), 403, "AccessDenied");
  EXPECT_EQ(Send("HEAD", "/frazil/" + other_root_ + "/data/a.parquet").status, 403);
  ExpectError(Send("GET", "/frazil/" + root_ + "/nothing"), 404, "NoSuchKey", "nothing");
  EXPECT_EQ(Handle(Signed("GET", "/frazil/" + other_root_ + "/data/a.parquet", {},
                          keys_.Vend(other_uuid_)))
                .status,
            200);
}

TEST_F(S3HandlerTest, BothStylesOfAddressing) {
  const auto host = Handle(Signed("GET", "/" + key_, {}, keys_.Vend(uuid_), "frazil.local:8182"));
  EXPECT_EQ(SentBytes(host), "0123456789");
  const auto path =
      Handle(Signed("GET", "/frazil/" + key_, {}, keys_.Vend(uuid_), "frazil.local:8182"));
  EXPECT_EQ(SentBytes(path), "0123456789");
}

TEST_F(S3HandlerTest, UnsignedAndForeignRequestsAreRefused) {
  net::HttpRequest request;
  request.method = "GET";
  request.raw_path = "/frazil/" + key_;
  request.headers = {{"Host", "127.0.0.1"}};
  ExpectError(Handle(request), 403, "AccessDenied", "not signed");
  request.method = "HEAD";
  const auto head = Handle(request);
  EXPECT_EQ(head.status, 403);
  EXPECT_TRUE(head.body.empty());
  VendedKey key = keys_.Vend(uuid_);
  key.secret_access_key[0] ^= 1;
  ExpectError(Handle(Signed("GET", "/frazil/" + key_, {}, key)), 403, "SignatureDoesNotMatch");
  key = VendedKeys(Bytes(32, 2), clock_).Vend(uuid_);
  ExpectError(Handle(Signed("GET", "/frazil/" + key_, {}, key)), 403, "InvalidAccessKeyId");
  key = keys_.Vend(uuid_);
  clock_.now = key.expires;
  ExpectError(Handle(Signed("GET", "/frazil/" + key_, {}, key)), 400, "ExpiredToken");
}

TEST_F(S3HandlerTest, AVendedKeyIsOfNoUseWithoutItsToken) {
  VendedKey key = keys_.Vend(uuid_);
  for (const std::string token : {"", "x"}) {
    key.session_token = token;
    ExpectError(Handle(Signed("GET", "/frazil/" + key_, {}, key)), 403, "AccessDenied", "token");
  }
  key = keys_.Vend(uuid_);
  EXPECT_EQ(Handle(Presigned("/frazil/" + key_, key)).status, 200);
  EXPECT_EQ(SentBytes(Handle(Presigned("/frazil/" + key_, key))), "0123456789");
  key.session_token = keys_.Vend(other_uuid_).session_token;
  ExpectError(Handle(Presigned("/frazil/" + key_, key)), 403, "AccessDenied", "session token");
  key.session_token.clear();
  ExpectError(Handle(Presigned("/frazil/" + key_, key)), 403, "AccessDenied", "lacks");
}

TEST_F(S3HandlerTest, WritesAreRefusedWithTheReason) {
  for (const char* method : {"PUT", "POST", "DELETE"}) {
    for (const std::string& target : std::vector<std::string>{
             "/frazil/" + key_, "/frazil/" + root_ + "/new?uploads=", "/frazil/speed/other/x"}) {
      ExpectError(Send(method, target), 403, "AccessDenied",
                  "speed is computed from Kafka and takes no writes");
    }
    ExpectError(Send(method, "/frazil?delete="), 403, "AccessDenied", "takes no writes");
  }
  const auto odd = Send("PATCH", "/frazil/" + key_);
  ExpectError(odd, 405, "MethodNotAllowed");
  EXPECT_EQ(Header(odd, "Allow"), "GET, HEAD");
}

TEST_F(S3HandlerTest, Buckets) {
  ExpectError(Send("GET", "/other/x"), 404, "NoSuchBucket", "other");
  ExpectError(Send("GET", "/"), 501, "NotImplemented");
  EXPECT_EQ(Send("HEAD", "/frazil").status, 200);
  EXPECT_EQ(Header(Send("HEAD", "/frazil/"), "x-amz-bucket-region"), "us-east-1");
  EXPECT_EQ(Send("HEAD", "/other").status, 404);
  EXPECT_THAT(Send("GET", "/frazil?location").body, HasSubstr("<LocationConstraint"));
  ExpectError(Send("GET", "/frazil?prefix=speed"), 501, "NotImplemented", "list-type=2");
}

TEST_F(S3HandlerTest, ListsWithDelimiter) {
  const auto response = Send("GET", "/frazil/?list-type=2&delimiter=%2F&prefix=" + root_ + "/");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr("<KeyCount>3</KeyCount>"));
  EXPECT_THAT(response.body, HasSubstr("<IsTruncated>false</IsTruncated>"));
  EXPECT_THAT(response.body, HasSubstr("<Key>" + root_ +
                                       "/empty</Key>"
                                       "<LastModified>2023-11-14T22:13:20.123Z</LastModified>"));
  EXPECT_THAT(response.body, HasSubstr("<CommonPrefixes><Prefix>" + root_ + "/data/</Prefix>"));
  EXPECT_THAT(response.body, HasSubstr("<CommonPrefixes><Prefix>" + root_ + "/metadata/</Prefix>"));
  EXPECT_THAT(response.body, Not(HasSubstr("payments")));
}

std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from);
  if (begin == std::string::npos) return "";
  const auto at = begin + from.size();
  return text.substr(at, text.find(to, at) - at);
}

TEST_F(S3HandlerTest, PagesOfEverySizeAddUpToTheListing) {
  tables_.AddObject(root_ + "/data/c/1", content_);
  tables_.AddObject(root_ + "/data/c/2", content_);
  tables_.AddObject(root_ + "/zzz", content_);
  for (const std::string& delimiter : std::vector<std::string>{"", "%2F"}) {
    std::vector<std::string> all;
    for (int size = 1; size <= 9; ++size) {
      std::vector<std::string> seen;
      std::string token;
      do {
        const auto response = Send(
            "GET", "/frazil?list-type=2&prefix=" + root_ + "/&max-keys=" + std::to_string(size) +
                       (delimiter.empty() ? "" : "&delimiter=" + delimiter) +
                       (token.empty() ? "" : "&continuation-token=" + token));
        ASSERT_EQ(response.status, 200) << response.body;
        std::string rest = response.body;
        int found = 0;
        for (const std::string& name : std::vector<std::string>{"Key", "CommonPrefixes"}) {
          const std::string opening = "<" + name + ">";
          const std::string closing = "</" + name + ">";
          for (std::string text = rest; !Between(text, opening, "</").empty();
               text = text.substr(text.find(closing) + 1)) {
            seen.push_back(Between(text, opening, "</"));
            ++found;
          }
        }
        EXPECT_LE(found, size);
        token = Between(response.body, "<NextContinuationToken>", "<");
        EXPECT_EQ(token.empty(), response.body.find("<IsTruncated>false") != std::string::npos);
      } while (!token.empty());
      std::sort(seen.begin(), seen.end());
      if (all.empty()) all = seen;
      EXPECT_EQ(seen, all) << size;
    }
    EXPECT_EQ(all.size(), delimiter.empty() ? 7U : 4U);
  }
}

TEST_F(S3HandlerTest, ListingParameters) {
  const std::string base = "/frazil?list-type=2&prefix=" + root_;
  EXPECT_THAT(Send("GET", base + "/data/&start-after=" + key_).body,
              Not(HasSubstr("a.parquet</Key>")));
  EXPECT_THAT(Send("GET", base + "&max-keys=0").body, HasSubstr("<KeyCount>0</KeyCount>"));
  EXPECT_THAT(Send("GET", base + "/nothing/").body, HasSubstr("<KeyCount>0</KeyCount>"));
  tables_.AddObject(root_ + "/odd & <name>", {});
  EXPECT_THAT(Send("GET", base + "/odd").body, HasSubstr("/odd &amp; &lt;name&gt;</Key>"));
  EXPECT_THAT(Send("GET", base + "/odd&encoding-type=url").body,
              HasSubstr("/odd%20%26%20%3Cname%3E</Key>"));
  ExpectError(Send("GET", base + "&max-keys=x"), 400, "InvalidArgument", "max-keys");
  ExpectError(Send("GET", base + "&encoding-type=x"), 400, "InvalidArgument");
  ExpectError(Send("GET", base + "&continuation-token=x"), 400, "InvalidArgument");
  for (const char* prefix : {"", "speed/", "speed/orders/", other_root_.c_str()}) {
    ExpectError(Send("GET", std::string("/frazil?list-type=2&prefix=") + prefix), 403,
                "AccessDenied");
  }
}

TEST_F(S3HandlerTest, SubresourcesAreNotTheObject) {
  for (const char* extra : {"acl", "tagging", "uploadId=1", "attributes", "torrent"}) {
    ExpectError(Send("GET", "/frazil/" + key_ + "?" + extra), 501, "NotImplemented");
  }
  ExpectError(Send("GET", "/frazil/" + key_ + "?partNumber=2"), 400, "InvalidArgument");
  ExpectError(Send("GET", "/frazil/" + key_ + "?versionId=7"), 400, "InvalidArgument");
  EXPECT_EQ(Send("GET", "/frazil/" + key_ + "?partNumber=1").status, 200);
  EXPECT_EQ(
      Send("GET", "/frazil/" + key_ + "?response-content-type=a%0d%0aX:1&x-id=GetObject").status,
      200);
}

TEST_F(S3HandlerTest, EveryErrorOfTheDomainHasTheStatusAndCodeOfItsRow) {
  for (const ErrorRow& row : ErrorTable()) {
    if (row.code == ErrorCode::kRangeNotSatisfiable) continue;
    tables_.FailWith(Error(row.code, "the <cause>"));
    ExpectError(Send("GET", "/frazil/" + key_), row.s3_status, std::string(row.s3_code),
                "<Message>the &lt;cause&gt;</Message>");
    EXPECT_EQ(Send("HEAD", "/frazil/" + key_).status, row.s3_status);
  }
}

TEST_F(S3HandlerTest, OnlyFaultsOfTheServersSideAreLogged) {
  Send("GET", "/frazil/" + root_ + "/nothing");
  Send("GET", "/frazil/" + key_ + "?acl");
  EXPECT_TRUE(log_.empty());
  tables_.FailWith(Error(ErrorCode::kKafkaUnavailable, "no broker answered"));
  Send("GET", "/frazil/" + key_);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_[0], HasSubstr("no broker answered"));
}

TEST_F(S3HandlerTest, RequestsThatTheServerRefusesGetTheSameForm) {
  ExpectError(handler_->Refuse(Error(ErrorCode::kRequestTooLarge, "too large")), 413,
              "EntityTooLarge", "too large");
}

}  // namespace
}  // namespace frazil::serve::s3
