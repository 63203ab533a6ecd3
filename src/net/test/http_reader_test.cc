// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "net/http_reader_internal.h"

namespace frazil::net {
namespace {

struct Read {
  std::vector<HttpRequest> requests;
  std::optional<Error> error;
};

// Reads `text` in pieces of `step` bytes.
Read ReadAll(std::string_view text, std::size_t step, const MessageLimits& limits = {}) {
  RequestReader reader(limits);
  Read read;
  while (!text.empty()) {
    const std::size_t size = std::min(step, text.size());
    reader.Append(text.substr(0, size));
    text.remove_prefix(size);
    while (true) {
      const auto progress = reader.Advance();
      if (!progress.ok()) {
        read.error = progress.error();
        return read;
      }
      if (*progress != ReadProgress::kComplete) break;
      read.requests.push_back(reader.Take());
    }
  }
  return read;
}

// However it is cut, `text` gives the same; that is returned.
Read ReadAnyWay(std::string_view text, const MessageLimits& limits = {}) {
  Read whole = ReadAll(text, text.size(), limits);
  for (const std::size_t step : {1U, 2U, 3U, 7U}) {
    const Read parts = ReadAll(text, step, limits);
    EXPECT_EQ(parts.requests.size(), whole.requests.size()) << text;
    EXPECT_EQ(parts.error.has_value(), whole.error.has_value()) << text;
    if (parts.error && whole.error) {
      EXPECT_EQ(parts.error->code(), whole.error->code()) << text;
    }
  }
  return whole;
}

ErrorCode CodeOf(std::string_view text, const MessageLimits& limits = {}) {
  const Read read = ReadAnyWay(text, limits);
  EXPECT_TRUE(read.error.has_value()) << text;
  EXPECT_TRUE(read.requests.empty()) << text;
  return read.error ? read.error->code() : ErrorCode::kInternal;
}

TEST(RequestReaderTest, ARequestIsReadAsSent) {
  const Read read = ReadAnyWay(
      "PUT /a%20b/c?x=1&y=%2F HTTP/1.1\r\nHost: h\r\nX-Amz-Date:  20250101T000000Z \r\n"
      "x-empty:\r\nContent-Length: 5\r\n\r\nhello");
  ASSERT_EQ(read.requests.size(), 1U);
  const HttpRequest& request = read.requests[0];
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.raw_path, "/a%20b/c");
  EXPECT_EQ(request.raw_query, "x=1&y=%2F");
  EXPECT_EQ(request.body, "hello");
  ASSERT_EQ(request.headers.size(), 4U);
  EXPECT_EQ(request.headers[1].name, "X-Amz-Date");
  EXPECT_EQ(request.headers[1].value, "20250101T000000Z");
  EXPECT_EQ(FindHeader(request.headers, "x-empty"), "");
}

TEST(RequestReaderTest, PipelinedRequestsComeInOrder) {
  const Read read = ReadAnyWay(
      "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
      "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"
      "\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_EQ(read.requests.size(), 3U);
  EXPECT_EQ(read.requests[0].raw_path, "/1");
  EXPECT_EQ(read.requests[1].body, "ab");
  EXPECT_EQ(read.requests[2].raw_path, "/3");
}

TEST(RequestReaderTest, ChunkedBodiesAreJoinedAndTrailersDropped) {
  const Read read = ReadAnyWay(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\nA;name=value\r\n0123456789\r\n0\r\nAuthorization: late\r\n\r\n"
      "GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_EQ(read.requests.size(), 2U);
  EXPECT_EQ(read.requests[0].body, "hello0123456789");
  EXPECT_EQ(FindHeader(read.requests[0].headers, "Authorization"), std::nullopt);
  EXPECT_EQ(read.requests[1].raw_path, "/next");
}

TEST(RequestReaderTest, AbsoluteTargetsLoseTheirFront) {
  const auto path = [](std::string_view target) {
    const Read read = ReadAll("GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n", 1000);
    return read.requests.empty() ? "error"
                                 : read.requests[0].raw_path + "|" + read.requests[0].raw_query;
  };
  EXPECT_EQ(path("http://other:80/a?b"), "/a|b");
  EXPECT_EQ(path("HTTP://other"), "/|");
  EXPECT_EQ(path("http://other?x=/"), "/|x=/");
  EXPECT_EQ(path("*"), "*|");
  EXPECT_EQ(path("/a?b?c"), "/a|b?c");
  EXPECT_EQ(path("/a?"), "/a|");
  EXPECT_EQ(path("a"), "error");
  EXPECT_EQ(path("ftp://x/"), "error");
  EXPECT_EQ(path("/a#b"), "error");
  EXPECT_EQ(path("h:80"), "error");
}

TEST(RequestReaderTest, ConnectionsAreKeptAsTheVersionSays) {
  const auto keeps = [](std::string_view text) {
    RequestReader reader({});
    reader.Append(text);
    EXPECT_EQ(*reader.Advance(), ReadProgress::kComplete) << text;
    return reader.KeepAlive();
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  // What Java's client sends first.
  EXPECT_TRUE(
      keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            "HTTP2-Settings: x\r\nUpgrade: h2c\r\n\r\n"));
}

TEST(RequestReaderTest, AnExpectedContinueIsSeenOnceTheHeadIsRead) {
  RequestReader reader({});
  reader.Append("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(*reader.Advance(), ReadProgress::kBody);
  EXPECT_TRUE(reader.ExpectsContinue());
  reader.Append("abc");
  EXPECT_EQ(*reader.Advance(), ReadProgress::kComplete);
}

// Each of these could make two readers of the stream disagree about where a request ends.
TEST(RequestReaderTest, AmbiguousFramingIsRefused) {
  const std::string front = "POST / HTTP/1.1\r\nHost: h\r\n";
  for (const char* rest :
       {"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "Content-Length: 1, 1\r\n\r\na",
        "Content-Length: +1\r\n\r\na",
        "Content-Length: -1\r\n\r\na",
        "Content-Length: 0x1\r\n\r\na",
        "Content-Length: 1 1\r\n\r\na",
        "Content-Length: \r\n\r\n",
        "Content-Length: a\r\n\r\n",
        "Content-Length: 18446744073709551616\r\n\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: \r\n\r\n",
        "Transfer-Encoding:\x0b"
        "chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Content-Length : 1\r\n\r\na",
        " Content-Length: 1\r\n\r\na",
        "X: y\r\n Content-Length: 1\r\n\r\na",
        "X: y\r\n\tfolded\r\n\r\n",
        "X: y\nContent-Length: 1\r\n\r\na",
        "X: y\n\r\n\r\n",
        "X: y\rZ: 1\r\n\r\n",
        "X: \x01\r\n\r\n",
        "X: a\x7f\r\n\r\n",
        "X y\r\n\r\n",
        ": y\r\n\r\n",
        "X\x80: y\r\n\r\n",
        "Host: h\r\n\r\n",
        "(x): y\r\n\r\n"}) {
    EXPECT_EQ(CodeOf(front + rest), ErrorCode::kMalformedRequest) << rest;
  }
  EXPECT_EQ(CodeOf(front + "X: " + std::string(1, '\0') + "\r\n\r\n"),
            ErrorCode::kMalformedRequest);
  EXPECT_EQ(CodeOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ErrorCode::kMalformedRequest);
}

TEST(RequestReaderTest, BrokenChunksAreRefused) {
  const std::string front = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* rest :
       {"x\r\n", "-1\r\n", "+1\r\na\r\n", "0x1\r\n\r\n", " 1\r\na\r\n", "1\na\r\n0\r\n\r\n", "\r\n",
        "1\r\nab\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n", "1;\x01\r\na\r\n0\r\n\r\n",
        "11111111111111111\r\n", "1 \r\rx\r\na\r\n", "0\r\nA\r\n\r\n",
        "0\r\nContent-Length: 5\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    EXPECT_EQ(CodeOf(front + rest), ErrorCode::kMalformedRequest) << rest;
  }
}

TEST(RequestReaderTest, BrokenStartLinesAreRefused) {
  for (const char* line :
       {"GET / HTTP/2.0", "GET / HTTP/1.2", "GET / HTTP/0.9", "GET / http/1.1", "GET /",
        "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET /a b HTTP/1.1", " GET / HTTP/1.1",
        "G\tT / HTTP/1.1", "G(T / HTTP/1.1", "GET /\x01 HTTP/1.1", "GET /\t HTTP/1.1",
        "GET / HTTP/1.1\rX", "\nGET / HTTP/1.1", "\r\n\r\nGET / HTTP/1.1", "HTTP/1.1 200 OK", "{}",
        "PRI * HTTP/2.0"}) {
    EXPECT_EQ(CodeOf(std::string(line) + "\r\nHost: h\r\n\r\n"), ErrorCode::kMalformedRequest)
        << line;
  }
  EXPECT_EQ(CodeOf("GET / HTTP/1.1\r\n\r\n"), ErrorCode::kMalformedRequest);
}

TEST(RequestReaderTest, AClientThatSpeaksTlsIsToldSoAtItsFirstByte) {
  const Read read = ReadAll("\x16\x03\x01", 1);
  ASSERT_TRUE(read.error.has_value());
  EXPECT_NE(read.error->message().find("TLS"), std::string::npos);
}

MessageLimits SmallLimits() {
  MessageLimits limits;
  limits.header_bytes = 200;
  limits.header_count = 4;
  limits.body_bytes = 20;
  return limits;
}

TEST(RequestReaderTest, LimitsHold) {
  const std::string front = "POST / HTTP/1.1\r\nHost: h\r\n";
  const auto code = [&](const std::string& text) { return CodeOf(text, SmallLimits()); };
  EXPECT_EQ(code(front + "X: " + std::string(200, 'x') + "\r\n\r\n"), ErrorCode::kRequestTooLarge);
  EXPECT_EQ(code("GET /" + std::string(300, 'x')), ErrorCode::kRequestTooLarge);
  EXPECT_EQ(code(front + "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n"), ErrorCode::kRequestTooLarge);
  EXPECT_EQ(code(front + "Content-Length: 21\r\n\r\n"), ErrorCode::kRequestTooLarge);
  EXPECT_EQ(code(front + "Content-Length: 18446744073709551615\r\n\r\n"),
            ErrorCode::kRequestTooLarge);
  const std::string chunked = front + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(code(chunked + "15\r\n"), ErrorCode::kRequestTooLarge);
  EXPECT_EQ(code(chunked + "ffffffffffffffff\r\n"), ErrorCode::kRequestTooLarge);
  std::string many = chunked;
  for (int i = 0; i < 21; ++i) many += "1\r\nx\r\n";
  EXPECT_EQ(code(many), ErrorCode::kRequestTooLarge);
  EXPECT_EQ(code(chunked + "1;" + std::string(300, 'x')), ErrorCode::kRequestTooLarge);
  EXPECT_EQ(code(chunked + "0\r\nA: " + std::string(300, 'x')), ErrorCode::kRequestTooLarge);
}

TEST(RequestReaderTest, ExactlyTheLimitIsTaken) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 20\r\nX: ";
  const std::string text = head + std::string(200 - head.size() - 4, 'x') + "\r\n\r\n";
  ASSERT_EQ(text.size(), 200U);
  EXPECT_EQ(ReadAnyWay(text + std::string(20, 'b'), SmallLimits()).requests.size(), 1U);
}

TEST(RequestReaderTest, NoMemoryIsTakenForABodyThatHasNotCome) {
  RequestReader reader({});
  reader.Append("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n\r\nabc");
  EXPECT_EQ(*reader.Advance(), ReadProgress::kBody);
  EXPECT_LT(reader.HeldBytes(), 1000U);
}

TEST(RequestReaderTest, TruncationsAndFlippedBytesNeverCrash) {
  const std::string text =
      "POST /a?b=c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;a=\"b\"\r\nhello\r\n0\r\nT: v\r\n\r\nPUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
      "\r\nabc";
  ASSERT_EQ(ReadAnyWay(text).requests.size(), 2U);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Read cut = ReadAll(std::string_view(text).substr(0, i), 5);
    EXPECT_FALSE(cut.error.has_value()) << i;
    EXPECT_LT(cut.requests.size(), 2U);
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      ReadAnyWay(flipped);
    }
  }
}

std::variant<HttpResponse, std::string> ReadAnswer(std::string_view text, bool head = false,
                                                   bool ends = false, std::size_t step = 3) {
  MessageLimits limits;
  limits.body_bytes = 20;
  ResponseReader reader(limits);
  reader.Expect(head);
  while (!text.empty()) {
    const std::size_t size = std::min(step, text.size());
    reader.Append(text.substr(0, size));
    text.remove_prefix(size);
    const auto progress = reader.Advance();
    if (!progress.ok()) return progress.error().ToString();
    if (*progress == ReadProgress::kComplete) return reader.Take();
  }
  if (!ends) return "incomplete";
  const auto progress = reader.AtEnd();
  if (!progress.ok()) return progress.error().ToString();
  if (*progress != ReadProgress::kComplete) return "incomplete";
  return reader.Take();
}

std::string BodyOrError(std::string_view text, bool head = false, bool ends = false) {
  auto answer = ReadAnswer(text, head, ends);
  if (auto* response = std::get_if<HttpResponse>(&answer)) {
    return std::to_string(response->status) + " " + response->body;
  }
  return std::get<std::string>(answer).substr(0, 10);
}

TEST(ResponseReaderTest, BodiesEndByLengthChunksOrClose) {
  EXPECT_EQ(BodyOrError("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), "200 ab");
  EXPECT_EQ(BodyOrError("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"),
            "404 abc");
  EXPECT_EQ(BodyOrError("HTTP/1.1 200 OK\r\n\r\nabc", false, true), "200 abc");
  EXPECT_EQ(BodyOrError("HTTP/1.1 200 OK\r\n\r\nabc"), "incomplete");
}

TEST(ResponseReaderTest, AnswersWithoutBody) {
  EXPECT_EQ(BodyOrError("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n", true), "200 ");
  EXPECT_EQ(BodyOrError("HTTP/1.1 204 No Content\r\n\r\n"), "204 ");
  EXPECT_EQ(BodyOrError("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"), "304 ");
}

TEST(ResponseReaderTest, InterimAnswersArePassedOver) {
  EXPECT_EQ(BodyOrError("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
                        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"),
            "200 a");
}

TEST(ResponseReaderTest, UnreadableAnswersAreNetworkErrors) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n", "nonsense\r\n\r\n", "\x15\x03\x01",
        "HTTP/1.1 20x OK\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    EXPECT_EQ(BodyOrError(text), "network: T") << text;
  }
  EXPECT_EQ(BodyOrError("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", false, true),
            "network: T");
  EXPECT_EQ(BodyOrError("HTTP/1.1 200 OK\r\n\r\n" + std::string(21, 'x'), false, true),
            "network: T");
  EXPECT_EQ(BodyOrError("HTTP/1.1 200", false, true), "network: T");
}

}  // namespace
}  // namespace frazil::net
