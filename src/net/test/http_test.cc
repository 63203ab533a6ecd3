// SPDX-License-Identifier: Apache-2.0
#include "net/http.h"

#include <gtest/gtest.h>

#include "net/entity_tag.h"
#include "net/http_answer_internal.h"
#include "net/http_client.h"
#include "net/http_server.h"

namespace frazil::net {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

TEST(HttpHeadersTest, NamesAreFoundInAnyCase) {
  const HttpHeaders headers = {{"ETag", "a"}, {"Range", "b"}, {"etag", "c"}};
  EXPECT_EQ(FindHeader(headers, "ETAG"), "a");
  EXPECT_EQ(FindHeader(headers, "range"), "b");
  EXPECT_EQ(FindHeader(headers, "Rang"), std::nullopt);
  EXPECT_EQ(CountHeaders(headers, "etag"), 2U);
  EXPECT_EQ(CountHeaders(headers, "host"), 0U);
}

TEST(ParseQueryTest, ParametersKeepTheirOrderAndAreDecodedOnce) {
  EXPECT_EQ(*ParseQuery(""), Parameters{});
  EXPECT_EQ(*ParseQuery("b=2&a=1&b="), (Parameters{{"b", "2"}, {"a", "1"}, {"b", ""}}));
  EXPECT_EQ(*ParseQuery("list-type=2&prefix=a%2Fb%2520c"),
            (Parameters{{"list-type", "2"}, {"prefix", "a/b%20c"}}));
  EXPECT_EQ(*ParseQuery("delete&&x=a=b"), (Parameters{{"delete", ""}, {"x", "a=b"}}));
}

TEST(ParseQueryTest, APlusIsASpaceOnlyWhenAsked) {
  EXPECT_EQ(*ParseQuery("a=1+2"), (Parameters{{"a", "1+2"}}));
  EXPECT_EQ(*ParseQuery("a=1+2%2B", true), (Parameters{{"a", "1 2+"}}));
}

TEST(ParseQueryTest, BrokenEscapesAreErrors) {
  for (const char* query : {"a=%", "a=%1", "a=%zz", "%=1", "ok=1&a=%2"}) {
    const auto parsed = ParseQuery(query);
    ASSERT_FALSE(parsed.ok()) << query;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kMalformedRequest);
  }
}

TEST(FindParameterTest, TheFirstOfTheNameCounts) {
  const auto query = ParseQuery("a=1&b=&a=2&A=3");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(FindParameter(*query, "a"), "1");
  EXPECT_EQ(FindParameter(*query, "b"), "");
  EXPECT_EQ(FindParameter(*query, "c"), std::nullopt);
}

TEST(EntityTagTest, ListsNameTheirTags) {
  struct Case {
    const char* list;
    bool strongly;
    bool weakly;
  };
  for (const Case& test_case : {
           Case{"\"a\"", true, true},
           Case{"a", true, true},
           Case{"*", true, true},
           Case{" \"b\" ,\t\"a\" ", true, true},
           Case{"\"b\",,, \"a\",", true, true},
           Case{"W/\"a\"", false, true},
           Case{"W/\"a\", \"a\"", true, true},
           Case{"\"W/a\"", false, false},
           Case{"w/\"a\"", false, false},
           Case{"\"ab\"", false, false},
           Case{"\"A\"", false, false},
           Case{"\"x,a\"", false, false},
           Case{"\"x,\"a\"", false, false},
           Case{"\"a", false, false},
           Case{"\"", false, false},
           Case{"", false, false},
           Case{" , ,", false, false},
       }) {
    EXPECT_EQ(NamesTag(test_case.list, "a", TagComparison::kStrong), test_case.strongly)
        << test_case.list;
    EXPECT_EQ(NamesTag(test_case.list, "a", TagComparison::kWeak), test_case.weakly)
        << test_case.list;
  }
  EXPECT_TRUE(NamesTag("\"b\", \"x,a\"", "x,a", TagComparison::kStrong));
}

TEST(ListenAddressTest, FormsThatAreTaken) {
  struct Case {
    const char* text;
    const char* host;
    int port;
    bool loopback;
  };
  for (const Case& c :
       {Case{"127.0.0.1:8181", "127.0.0.1", 8181, true},
        Case{"127.200.0.9:1", "127.200.0.9", 1, true}, Case{"[::1]:8181", "::1", 8181, true},
        Case{"localhost:0", "localhost", 0, true}, Case{"LocalHost:7", "LocalHost", 7, true},
        Case{"0.0.0.0:65535", "0.0.0.0", 65535, false}, Case{"[::]:80", "::", 80, false},
        Case{"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80, false},
        Case{"127.0.0.1.example.org:80", "127.0.0.1.example.org", 80, false},
        Case{"127.1:80", "127.1", 80, false}, Case{"10.1.2.3:80", "10.1.2.3", 80, false}}) {
    const auto address = ListenAddress::Parse(c.text);
    ASSERT_TRUE(address.ok()) << c.text;
    EXPECT_EQ(address->host, c.host);
    EXPECT_EQ(address->port, c.port);
    EXPECT_EQ(address->IsLoopback(), c.loopback) << c.text;
    EXPECT_EQ(address->ToString(), c.text);
  }
}

TEST(ListenAddressTest, AnythingElseIsAnErrorThatShowsTheForm) {
  for (const char* text : {"",
                           "8181",
                           ":8181",
                           "localhost",
                           "localhost:",
                           "localhost:x",
                           "localhost:65536",
                           "localhost:-1",
                           "localhost:+1",
                           "localhost:1 ",
                           "::1:8181",
                           "[::1]",
                           "[::1:80",
                           "[localhost]:80",
                           "[::1]x:80",
                           "a b:80",
                           "http://localhost:80",
                           "localhost:80/",
                           "*:80",
                           "[fe80::1%eth0]:80",
                           "localhost:99999999999999999999"}) {
    const auto address = ListenAddress::Parse(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(address.error().message().find("127.0.0.1:8181"), std::string::npos);
  }
}

TEST(HttpUrlTest, FormsThatAreTaken) {
  struct Case {
    const char* text;
    const char* host;
    int port;
    const char* path;
    const char* again;
  };
  for (const Case& c : {Case{"http://registry", "registry", 80, "", "http://registry:80"},
                        Case{"HTTP://registry:8081/", "registry", 8081, "", "http://registry:8081"},
                        Case{"http://r:8080/apis/ccompat/v7/", "r", 8080, "/apis/ccompat/v7",
                             "http://r:8080/apis/ccompat/v7"},
                        Case{"http://[::1]:9/x", "::1", 9, "/x", "http://[::1]:9/x"}}) {
    const auto url = HttpUrl::Parse(c.text);
    ASSERT_TRUE(url.ok()) << c.text;
    EXPECT_EQ(url->host, c.host);
    EXPECT_EQ(url->port, c.port);
    EXPECT_EQ(url->base_path, c.path);
    EXPECT_EQ(url->ToString(), c.again);
  }
}

TEST(HttpUrlTest, AnythingElseIsAnError) {
  for (const char* text :
       {"", "registry:8081", "ftp://r", "http://", "http:///x", "http://r:0", "http://r:x",
        "http://r x", "http://r/a b", "http://r/a?b", "http://r/#", "http://r?x", "http://::1"}) {
    const auto url = HttpUrl::Parse(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().code(), ErrorCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(HttpUrl::Parse("https://r").error().code(), ErrorCode::kUnsupported);
}

TEST(HttpUrlTest, PasswordsAreRefusedAndNotRepeated) {
  const auto url = HttpUrl::Parse("http://user:secret@registry:8081");
  ASSERT_FALSE(url.ok());
  EXPECT_EQ(url.error().message().find("secret"), std::string::npos);
}

TEST(HttpDateTest, KnownDays) {
  EXPECT_EQ(FormatHttpDate(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(FormatHttpDate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(FormatHttpDate(1709210096), "Thu, 29 Feb 2024 12:34:56 GMT");
}

AnswerFrame Frame() {
  AnswerFrame frame;
  frame.date = "D";
  return frame;
}

TEST(SerializeHeadTest, OrderIsStatusHeadersLengthDate) {
  HttpResponse response;
  response.status = 206;
  response.headers = {
      {"ETag", "\"x\""}, {"content-length", "99"}, {"Date", "no"}, {"Connection", "no"}};
  response.body = "abc";
  EXPECT_EQ(SerializeHead(response, Frame()),
            "HTTP/1.1 206 Partial Content\r\nETag: \"x\"\r\nContent-Length: 3\r\nDate: D\r\n\r\n");
}

TEST(SerializeHeadTest, AHeadRequestGetsTheGivenLength) {
  HttpResponse response;
  response.headers = {{"Content-Length", "99"}};
  AnswerFrame frame = Frame();
  frame.head_request = true;
  EXPECT_EQ(SerializeHead(response, frame),
            "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nDate: D\r\n\r\n");
  response.headers.clear();
  response.body = "1234";
  EXPECT_EQ(SerializeHead(response, frame),
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nDate: D\r\n\r\n");
}

TEST(SerializeHeadTest, AnswersWithoutBodyHaveNoLength) {
  HttpResponse response;
  response.status = 204;
  AnswerFrame frame = Frame();
  frame.keep_alive = false;
  EXPECT_EQ(SerializeHead(response, frame),
            "HTTP/1.1 204 No Content\r\nDate: D\r\nConnection: close\r\n\r\n");
  response.status = 304;
  frame.keep_alive = true;
  frame.http10 = true;
  EXPECT_EQ(SerializeHead(response, frame),
            "HTTP/1.1 304 Not Modified\r\nDate: D\r\nConnection: keep-alive\r\n\r\n");
}

TEST(IsSendableTest, HeadersThatCouldSplitTheAnswerAreNot) {
  HttpResponse response;
  EXPECT_TRUE(IsSendable(response));
  for (const char* value : {"a\r\nSet-Cookie: x", "a\nb", "a\rb", "\x01", "\x7f"}) {
    response.headers = {{"X", value}};
    EXPECT_FALSE(IsSendable(response));
  }
  for (const char* name : {"", "a b", "a:", "a\r\n"}) {
    response.headers = {{name, "x"}};
    EXPECT_FALSE(IsSendable(response)) << name;
  }
  response.headers = {{"Content-Length", "many"}};
  EXPECT_FALSE(IsSendable(response));
}

TEST(IsSendableTest, SlicesLieInsideTheirBytes) {
  HttpResponse response;
  const auto bytes = std::make_shared<const Bytes>(Bytes(10));
  response.slice = SharedSlice{bytes, 4, 6};
  EXPECT_TRUE(IsSendable(response));
  EXPECT_EQ(BodyOf(response).size(), 6U);
  response.slice = SharedSlice{bytes, 4, 7};
  EXPECT_FALSE(IsSendable(response));
  response.slice = SharedSlice{bytes, 11, 0};
  EXPECT_FALSE(IsSendable(response));
  response.slice = SharedSlice{bytes, 1, ~std::size_t{0}};
  EXPECT_FALSE(IsSendable(response));
  response.slice = SharedSlice{nullptr, 0, 1};
  EXPECT_FALSE(IsSendable(response));
}

TEST(IsSendableTest, OnlyFinalStatuses) {
  HttpResponse response;
  for (const int status : {0, 100, 199, 600, -1}) {
    response.status = status;
    EXPECT_FALSE(IsSendable(response));
  }
}

}  // namespace
}  // namespace frazil::net
