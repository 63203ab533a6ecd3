// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "net/test/http_server_fixture.h"
#include "net/test/listener_fixture.h"

namespace frazil::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Deadline Soon() { return Deadline::After(seconds(30)); }

HttpRequest Get(const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.raw_path = path;
  return request;
}

std::unique_ptr<HttpClient> ClientOf(std::uint16_t port, const std::string& base_path = "",
                                     const HttpClientOptions& options = {}) {
  return MakeHttpClient(*HttpUrl::Parse("http://127.0.0.1:" + std::to_string(port) + base_path),
                        options);
}

std::string Outcome(const Result<HttpResponse>& response) {
  if (!response.ok()) return std::string(response.error().row().name);
  return std::to_string(response->status) + " " + response->body;
}

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

TEST(HttpClientTest, TheRequestOnTheWire) {
  TestListener listener;
  std::string seen;
  std::jthread server([&] {
    const auto peer = listener.Accept();
    seen = peer->ReadHead();
    seen += peer->Read(4);
    peer->Write(kOk);
  });
  HttpRequest request;
  request.method = "POST";
  request.raw_path = "/subjects/a%2Fb/versions";
  request.raw_query = "deleted=true";
  request.headers = {{"Accept", "application/json"}, {"Host", "x"}, {"Content-Length", "99"}};
  request.body = "body";
  EXPECT_EQ(Outcome(ClientOf(listener.port(), "/v7")->Send(request, Soon(), {})), "200 ok");
  server.join();
  EXPECT_EQ(seen, "POST /v7/subjects/a%2Fb/versions?deleted=true HTTP/1.1\r\nHost: 127.0.0.1:" +
                      std::to_string(listener.port()) +
                      "\r\nAccept: application/json\r\nContent-Length: 4\r\n\r\nbody");
}

TEST(HttpClientTest, ConnectionsAreKeptAndAnyStatusIsAValue) {
  std::set<std::string> peers;
  TestServer server([&](const HttpRequest& request, const RequestContext& context) {
    peers.insert(context.peer);
    HttpResponse response;
    response.status = 404;
    response.headers = {{"X-Path", request.raw_path}};
    response.body = request.body;
    return response;
  });
  const auto client = ClientOf(server.port());
  for (int i = 0; i < 20; ++i) {
    HttpRequest request = Get("/a");
    request.method = "PUT";
    request.body = std::string(static_cast<std::size_t>(i) * 1000, 'x');
    const auto response = client->Send(request, Soon(), {});
    ASSERT_TRUE(response.ok());
    EXPECT_EQ(response->status, 404);
    EXPECT_EQ(FindHeader(response->headers, "x-path"), "/a");
    EXPECT_EQ(response->body, request.body);
  }
  EXPECT_EQ(peers.size(), 1U);
}

TEST(HttpClientTest, HeadAndChunksAndInterimAnswers) {
  TestListener listener;
  std::jthread server([&] {
    const auto peer = listener.Accept();
    peer->ReadHead();
    peer->Write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
    peer->ReadHead();
    peer->Write(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    peer->Write("3\r\nabc\r\n");
    peer->Write("0\r\n\r\n");
    peer->ReadHead();
    peer->Write("HTTP/1.0 200 OK\r\n\r\nto the end");
  });
  const auto client = ClientOf(listener.port());
  HttpRequest head = Get("/");
  head.method = "HEAD";
  const auto answer = client->Send(head, Soon(), {});
  EXPECT_EQ(Outcome(answer), "200 ");
  EXPECT_EQ(FindHeader(answer->headers, "Content-Length"), "500");
  EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), {})), "200 abc");
  EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), {})), "200 to the end");
}

// Serves the first connection with one answer and then closes it, as `second` says on the next
// request, and the second connection with answers.
void ServeStale(TestListener& listener, bool close_after_request, std::atomic<int>& served) {
  {
    const auto peer = listener.Accept();
    peer->ReadHead();
    peer->Write(kOk);
    ++served;
    if (close_after_request) peer->ReadHead();
  }
  const auto peer = listener.Accept();
  while (!peer->ReadHead().empty()) {
    peer->Write(kOk);
    ++served;
  }
}

TEST(HttpClientTest, AStaleConnectionIsReplacedSilently) {
  for (const bool close_after_request : {false, true}) {
    TestListener listener;
    std::atomic<int> served = 0;
    std::jthread server([&] { ServeStale(listener, close_after_request, served); });
    {
      const auto client = ClientOf(listener.port());
      EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), {})), "200 ok");
      EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), {})), "200 ok");
      EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), {})), "200 ok");
    }
    server.join();
    EXPECT_EQ(served, 3);
  }
}

TEST(HttpClientTest, APostIsNotSentTwice) {
  TestListener listener;
  std::jthread server([&] {
    const auto peer = listener.Accept();
    peer->ReadHead();
    peer->Write(kOk);
    peer->ReadHead();
  });
  const auto client = ClientOf(listener.port());
  HttpRequest post = Get("/");
  post.method = "POST";
  EXPECT_EQ(Outcome(client->Send(post, Soon(), {})), "200 ok");
  EXPECT_EQ(Outcome(client->Send(post, Soon(), {})), "network");
}

TEST(HttpClientTest, ANewConnectionThatBreaksIsNotRetried) {
  TestListener listener;
  std::atomic<int> accepted = 0;
  std::jthread server([&] {
    listener.Accept()->ReadHead();
    ++accepted;
  });
  EXPECT_EQ(Outcome(ClientOf(listener.port())->Send(Get("/"), Soon(), {})), "network");
  server.join();
  EXPECT_EQ(accepted, 1);
}

TEST(HttpClientTest, BytesBehindAnAnswerAreNotTakenForTheNext) {
  TestListener listener;
  std::jthread server([&] {
    {
      const auto peer = listener.Accept();
      peer->ReadHead();
      peer->Write(std::string(kOk) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
      peer->ReadHead();
    }
    const auto peer = listener.Accept();
    peer->ReadHead();
    peer->Write(kOk);
  });
  const auto client = ClientOf(listener.port());
  EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), {})), "200 ok");
  EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), {})), "200 ok");
}

TEST(HttpClientTest, LimitsAreNetworkErrors) {
  HttpClientOptions options;
  options.header_bytes = 200;
  options.body_bytes = 10;
  for (const std::string& answer :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n"),
        "HTTP/1.1 200 OK\r\n\r\n" + std::string(11, 'x'),
        "HTTP/1.1 200 OK\r\nX: " + std::string(300, 'x'), std::string("nonsense\r\n\r\n")}) {
    TestListener listener;
    std::jthread server([&] {
      const auto peer = listener.Accept();
      peer->ReadHead();
      peer->Write(answer);
      peer->ReadHead();
    });
    EXPECT_EQ(Outcome(ClientOf(listener.port(), "", options)->Send(Get("/"), Soon(), {})),
              "network")
        << answer;
  }
}

TEST(HttpClientTest, DeadlineAndStopEndAWait) {
  TestListener listener;
  const auto client = ClientOf(listener.port());
  EXPECT_EQ(Outcome(client->Send(Get("/"), Deadline::After(milliseconds(30)), {})),
            "deadline_exceeded");
  std::stop_source source;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    source.request_stop();
  });
  EXPECT_EQ(Outcome(client->Send(Get("/"), Soon(), source.get_token())), "cancelled");
}

TEST(HttpClientTest, RequestsThatWouldSplitAreRefused) {
  const auto client = MakeHttpClient(*HttpUrl::Parse("http://127.0.0.1:1"));
  const auto outcome = [&](const std::function<void(HttpRequest&)>& change) {
    HttpRequest request = Get("/");
    change(request);
    return Outcome(client->Send(request, Soon(), {}));
  };
  for (const char* path : {"/a b", "/a\r\nX: y", "a", "/a?b", "/a#b", "/\x7f"}) {
    EXPECT_EQ(outcome([&](HttpRequest& request) { request.raw_path = path; }), "invalid_argument");
  }
  EXPECT_EQ(outcome([](HttpRequest& request) { request.method = "GET /"; }), "invalid_argument");
  EXPECT_EQ(outcome([](HttpRequest& request) { request.raw_query = "a b"; }), "invalid_argument");
  EXPECT_EQ(outcome([](HttpRequest& request) { request.headers = {{"A", "b\nC: d"}}; }),
            "invalid_argument");
  EXPECT_EQ(outcome([](HttpRequest& request) { request.headers = {{"A:", "b"}}; }),
            "invalid_argument");
}

TEST(HttpClientTest, SeveralThreadsShareOneClient) {
  TestServer server([](const HttpRequest& request, const RequestContext&) {
    return TextAnswer(request.raw_path);
  });
  const auto client = ClientOf(server.port());
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const std::string path = "/" + std::to_string(t) + "/" + std::to_string(i);
          if (Outcome(client->Send(Get(path), Soon(), {})) == "200 " + path) ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 400);
}

}  // namespace
}  // namespace frazil::net
