// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <atomic>
#include <latch>
#include <semaphore>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test/http_server_fixture.h"

namespace frazil::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

HttpResponse EchoPath(const HttpRequest& request, const RequestContext&) {
  return TextAnswer(request.raw_path);
}

HttpResponse EchoBody(const HttpRequest& request, const RequestContext&) {
  return TextAnswer(request.body);
}

TEST(HttpServerTest, AnswersWithTheHandlersWords) {
  TestServer server([](const HttpRequest& request, const RequestContext& context) {
    EXPECT_FALSE(context.deadline.Expired());
    EXPECT_THAT(context.peer, StartsWith("127.0.0.1:"));
    HttpResponse response;
    response.status = 206;
    response.headers = {{"ETag", "\"e\""}, {"Date", "never"}};
    response.body = request.method + request.raw_path + "?" + request.raw_query;
    return response;
  });
  RawClient client(server.port());
  client.Get("/a%20b?x=%2F");
  const std::string head = client.ReadHead();
  EXPECT_THAT(head, StartsWith("HTTP/1.1 206 Partial Content\r\nETag: \"e\"\r\n"
                               "Content-Length: 15\r\nDate: "));
  EXPECT_THAT(head, EndsWith(" GMT\r\n\r\n"));
  EXPECT_EQ(client.ReadBody(15), "GET/a%20b?x=%2F");
}

TEST(HttpServerTest, AConnectionTakesManyRequests) {
  TestServer server(EchoPath);
  RawClient client(server.port());
  for (int i = 0; i < 50; ++i) {
    const std::string path = "/" + std::to_string(i);
    EXPECT_EQ(client.Fetch(path), "200 " + path);
  }
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(1); }));
}

TEST(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  TestServer server([](const HttpRequest& request, const RequestContext&) {
    if (request.raw_path == "/0") std::this_thread::sleep_for(milliseconds(30));
    return TextAnswer(request.raw_path);
  });
  RawClient client(server.port());
  std::string all;
  for (int i = 0; i < 20; ++i) {
    all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }
  ASSERT_TRUE(client.Send(all).ok());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.ReadAnswer(), "200 /" + std::to_string(i));
}

TEST(HttpServerTest, PipelinesLongerThanTheReadAheadAreAnswered) {
  TestServer server(EchoBody);
  RawClient client(server.port());
  const std::string body(50'000, 'b');
  std::jthread sender([&] {
    for (int i = 0; i < 40; ++i) {
      EXPECT_TRUE(
          client.Send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000\r\n\r\n" + body).ok());
    }
  });
  for (int i = 0; i < 40; ++i) EXPECT_EQ(client.ReadAnswer(), "200 " + body);
}

TEST(HttpServerTest, HeadHasTheLengthAndNoBody) {
  const auto bytes = std::make_shared<const Bytes>(Bytes(1000, 'x'));
  TestServer server([&](const HttpRequest& request, const RequestContext&) {
    HttpResponse response;
    if (request.raw_path == "/slice") response.slice = SharedSlice{bytes, 10, 500};
    if (request.raw_path == "/given") response.headers = {{"Content-Length", "123456789"}};
    if (request.raw_path == "/text") response.body = "hello";
    return response;
  });
  RawClient client(server.port());
  for (const auto& [path, length] :
       {std::pair("/slice", "500"), {"/given", "123456789"}, {"/text", "5"}}) {
    ASSERT_TRUE(client.Send(std::string("HEAD ") + path + " HTTP/1.1\r\nHost: h\r\n\r\n").ok());
    EXPECT_THAT(client.ReadHead(), HasSubstr(std::string("Content-Length: ") + length + "\r\n"));
  }
  // Nothing lies between the heads and the next answer.
  EXPECT_EQ(client.Fetch("/text"), "200 hello");
}

TEST(HttpServerTest, SlicesAreSentAsTheyAre) {
  Bytes content(3 << 20);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint8_t>(i * 7);
  const auto bytes = std::make_shared<const Bytes>(std::move(content));
  TestServer server([&](const HttpRequest&, const RequestContext&) {
    HttpResponse response;
    response.slice = SharedSlice{bytes, 12345, 2 << 20};
    return response;
  });
  RawClient client(server.port());
  EXPECT_EQ(client.Fetch("/"),
            "200 " + std::string(AsText(ByteView(*bytes).subspan(12345, 2 << 20))));
  EXPECT_TRUE(Eventually([&] { return bytes.use_count() == 1; }));
  EXPECT_TRUE(Eventually(
      [&] { return server.HasMetric("response_bytes_total{endpoint=\"s3\"} 2097152"); }));
}

TEST(HttpServerTest, AnExpectedContinueComesAtOnce) {
  TestServer server(EchoBody);
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client
                    .Send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                          "Content-Length: 5\r\n\r\n")
                    .ok());
    EXPECT_EQ(client.ReadHead(), "HTTP/1.1 100 Continue\r\n\r\n");
    ASSERT_TRUE(client.Send("hello").ok());
    EXPECT_EQ(client.ReadAnswer(), "200 hello");
  }
  EXPECT_TRUE(Eventually(
      [&] { return server.HasMetric("requests_total{endpoint=\"s3\",status=\"2xx\"} 3"); }));
}

TEST(HttpServerTest, NoContinueForABodyThatIsThereOrIsRefused) {
  TestServer server(EchoBody, [](HttpServerOptions& options) { options.body_bytes = 10; });
  RawClient client(server.port());
  ASSERT_TRUE(client
                  .Send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                        "Content-Length: 2\r\n\r\nab")
                  .ok());
  EXPECT_EQ(client.ReadAnswer(), "200 ab");
  ASSERT_TRUE(client
                  .Send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                        "Content-Length: 11\r\n\r\n")
                  .ok());
  EXPECT_EQ(client.ReadAnswer(), "413 The body is larger than the limit");
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpServerTest, ChunkedBodiesAreTaken) {
  TestServer server(EchoBody);
  RawClient client(server.port());
  ASSERT_TRUE(client
                  .Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                  .ok());
  EXPECT_EQ(client.ReadAnswer(), "200 abcde");
  EXPECT_EQ(client.Fetch("/"), "200 ");
}

TEST(HttpServerTest, Http10ConnectionsCloseUnlessAsked) {
  TestServer server(EchoPath);
  RawClient client(server.port());
  ASSERT_TRUE(client.Send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").ok());
  EXPECT_THAT(client.ReadHead(), HasSubstr("Connection: keep-alive\r\n"));
  EXPECT_EQ(client.ReadBody(2), "/a");
  ASSERT_TRUE(client.Send("GET /b HTTP/1.0\r\n\r\n").ok());
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("Connection: close\r\n\r\n/b"));
}

TEST(HttpServerTest, CloseIsHonoured) {
  TestServer server(EchoPath);
  RawClient client(server.port());
  ASSERT_TRUE(
      client.Send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /b HTTP/1.1\r\n")
          .ok());
  EXPECT_THAT(client.ReadToEnd(), EndsWith("Connection: close\r\n\r\n/a"));
}

TEST(HttpServerTest, UnreadableRequestsGet400AndNothingBehindThemIsRun) {
  std::atomic<int> handled = 0;
  TestServer server([&](const HttpRequest& request, const RequestContext&) {
    ++handled;
    return TextAnswer(request.raw_path);
  });
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
  for (const std::string& head :
       {std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 0\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: h\r\nX: \x08\r\n\r\n"), std::string("\x16\x03\x01"),
        std::string("nonsense\r\n\r\n")}) {
    RawClient client(server.port());
    ASSERT_TRUE(client.Send(head + smuggled).ok());
    const std::string answer = client.ReadToEnd();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\nX-Error: malformed_request\r\n"));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  }
  EXPECT_EQ(handled, 0);
  EXPECT_TRUE(server.log().Has("warn http_refused"));
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0); }));
  EXPECT_TRUE(Eventually(
      [&] { return server.HasMetric("requests_total{endpoint=\"s3\",status=\"4xx\"} 7"); }));
}

TEST(HttpServerTest, OversizeRequestsGet413AlthoughTheClientStillSends) {
  TestServer server(EchoBody, [](HttpServerOptions& options) {
    options.header_bytes = 1000;
    options.body_bytes = 1000;
  });
  {
    RawClient client(server.port());
    ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(2000, 'x')).ok());
    EXPECT_THAT(client.ReadAnswer(), StartsWith("413 "));
  }
  {
    RawClient client(server.port());
    ASSERT_TRUE(client.Send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n").ok());
    IgnoreError(client.Send(std::string(1'000'000, 'x')));
    EXPECT_EQ(client.ReadAnswer(), "413 The body is larger than the limit");
  }
}

TEST(HttpServerTest, LargeRequestsBeyondTheMemoryLimitGet503) {
  TestServer server(EchoBody, [](HttpServerOptions& options) { options.buffered_bytes = 300'000; });
  const std::string head = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n";
  RawClient first(server.port());
  ASSERT_TRUE(first.Send(head + std::string(250'000, 'x')).ok());
  RawClient second(server.port());
  IgnoreError(second.Send(head + std::string(900'000, 'x')));
  EXPECT_THAT(second.ReadAnswer(), StartsWith("503 "));
  // Small ones pass.
  RawClient third(server.port());
  EXPECT_EQ(third.Fetch("/"), "200 ");
}

TEST(HttpServerTest, ALeavingClientStopsItsHandler) {
  std::binary_semaphore begun(0);
  std::binary_semaphore stopped(0);
  TestServer server([&](const HttpRequest&, const RequestContext& context) {
    begun.release();
    EXPECT_TRUE(Eventually([&] { return context.stop.stop_requested(); }));
    stopped.release();
    return TextAnswer("late");
  });
  {
    RawClient client(server.port());
    client.Get("/");
    begun.acquire();
  }
  EXPECT_TRUE(stopped.try_acquire_for(seconds(10)));
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0); }));
}

TEST(HttpServerTest, ARequestWhoseClientLeftInTheQueueIsNotHandled) {
  std::atomic<int> handled = 0;
  std::binary_semaphore begun(0);
  std::binary_semaphore go(0);
  TestServer server(
      [&](const HttpRequest& request, const RequestContext&) {
        ++handled;
        if (request.raw_path == "/slow") {
          begun.release();
          go.acquire();
        }
        return TextAnswer("done");
      },
      [](HttpServerOptions& options) { options.threads = 1; });
  RawClient slow(server.port());
  slow.Get("/slow");
  begun.acquire();
  {
    RawClient leaving(server.port());
    leaving.Get("/");
    EXPECT_TRUE(Eventually([&] { return server.HasConnections(2); }));
    // The server reads what was sent before it reads that the client left.
  }
  RawClient third(server.port());
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(3) || server.HasConnections(2); }));
  std::this_thread::sleep_for(milliseconds(50));
  go.release();
  EXPECT_EQ(slow.ReadAnswer(), "200 done");
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(2); }));
  EXPECT_EQ(handled, 1);
}

// "100 Continue" may come before an answer, and then asks only whether somebody is there.
std::string WithoutInterim(std::string answers) {
  constexpr std::string_view kInterim = "HTTP/1.1 100 Continue\r\n\r\n";
  while (answers.starts_with(kInterim)) answers.erase(0, kInterim.size());
  return answers;
}

TEST(HttpServerTest, AClientThatEndedItsDirectionGetsItsAnswer) {
  std::binary_semaphore begun(0);
  std::binary_semaphore go(0);
  TestServer server([&](const HttpRequest& request, const RequestContext& context) {
    begun.release();
    go.acquire();
    return TextAnswer(context.stop.stop_requested() ? "stopped" : request.raw_path);
  });
  for (const std::string version : {"1.1", "1.0"}) {
    RawClient client(server.port());
    ASSERT_TRUE(client.Send("GET /late HTTP/" + version + "\r\nHost: h\r\n\r\n").ok());
    begun.acquire();
    client.EndSending();
    // Long enough for the end to be seen while the handler runs.
    std::this_thread::sleep_for(milliseconds(100));
    go.release();
    const std::string answer = WithoutInterim(client.ReadToEnd());
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n")) << version;
    EXPECT_THAT(answer, EndsWith("\r\n\r\n/late")) << version;
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n")) << version;
  }
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0); }));
}

TEST(HttpServerTest, AllThatWasSentBeforeTheEndIsAnswered) {
  TestServer server(EchoPath);
  RawClient client(server.port());
  ASSERT_TRUE(client
                  .Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
                        "GET /b HTTP/1.1\r\nHost: h\r\n\r\n"
                        "GET /c HTTP/1.1\r\nHost: h\r\n\r\nGET /half")
                  .ok());
  client.EndSending();
  const std::string answers = client.ReadToEnd();
  for (const char* path : {"\r\n\r\n/a", "\r\n\r\n/b", "\r\n\r\n/c"}) {
    EXPECT_THAT(answers, HasSubstr(path));
  }
  EXPECT_THAT(answers, Not(HasSubstr("/half")));
}

TEST(HttpServerTest, AClientThatEndsItsDirectionAndThenLeavesStopsItsHandler) {
  std::binary_semaphore begun(0);
  std::binary_semaphore stopped(0);
  TestServer server([&](const HttpRequest&, const RequestContext& context) {
    begun.release();
    EXPECT_TRUE(Eventually([&] { return context.stop.stop_requested(); }));
    stopped.release();
    return TextAnswer("late");
  });
  RawClient client(server.port());
  client.Get("/");
  begun.acquire();
  client.EndSending();
  EXPECT_FALSE(stopped.try_acquire_for(milliseconds(100))) << "it is still there";
  client.Close();
  EXPECT_TRUE(stopped.try_acquire_for(seconds(10)));
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0); }));
}

TEST(HttpServerTest, AnAbortedDownloadReleasesItsBytes) {
  const auto bytes = std::make_shared<const Bytes>(Bytes(64 << 20));
  TestServer server([&](const HttpRequest&, const RequestContext&) {
    HttpResponse response;
    response.slice = SharedSlice{bytes, 0, bytes->size()};
    return response;
  });
  for (int i = 0; i < 5; ++i) {
    RawClient client(server.port());
    client.Get("/");
    EXPECT_THAT(client.ReadHead(), HasSubstr("Content-Length: 67108864\r\n"));
    EXPECT_EQ(client.ReadBody(1000).size(), 1000U);
  }
  EXPECT_TRUE(Eventually([&] { return bytes.use_count() == 1 && server.HasConnections(0); }));
}

TEST(HttpServerTest, SlowSendersAreCutOff) {
  TestServer server(EchoPath, [](HttpServerOptions& options) {
    options.read_timeout = milliseconds(100);
    options.idle_timeout = milliseconds(150);
  });
  RawClient silent(server.port());
  RawClient partial(server.port());
  ASSERT_TRUE(partial.Send("GET / HTTP/1.1\r\nHo").ok());
  RawClient dripping(server.port());
  RawClient idle(server.port());
  EXPECT_EQ(idle.Fetch("/x"), "200 /x");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    if (!dripping.Send("x").ok()) break;
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(4));
  EXPECT_TRUE(silent.IsClosed());
  EXPECT_TRUE(partial.IsClosed());
  EXPECT_TRUE(idle.IsClosed());
  EXPECT_TRUE(server.log().Has("warn http_timed_out"));
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0); }));
}

TEST(HttpServerTest, ARequestAfterAnAnswerHasItsOwnTime) {
  TestServer server(EchoPath, [](HttpServerOptions& options) {
    options.read_timeout = milliseconds(400);
    options.idle_timeout = seconds(30);
  });
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.Fetch("/x"), "200 /x");
    std::this_thread::sleep_for(milliseconds(250));
  }
  ASSERT_TRUE(client.Send("GET / HT").ok());
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpServerTest, SlowReadersAreCutOff) {
  const auto bytes = std::make_shared<const Bytes>(Bytes(64 << 20));
  TestServer server(
      [&](const HttpRequest&, const RequestContext&) {
        HttpResponse response;
        response.slice = SharedSlice{bytes, 0, bytes->size()};
        return response;
      },
      [](HttpServerOptions& options) { options.write_timeout = milliseconds(100); });
  RawClient client(server.port());
  client.Get("/");
  EXPECT_TRUE(Eventually([&] { return server.log().Has("http_timed_out"); }));
  EXPECT_TRUE(Eventually([&] { return bytes.use_count() == 1; }));
  EXPECT_LT(client.ReadToEnd().size(), bytes->size());
}

TEST(HttpServerTest, TricklingReadersOfLargeAnswersAreCutOff) {
  const auto bytes = std::make_shared<const Bytes>(Bytes(64 << 20));
  TestServer server(
      [&](const HttpRequest&, const RequestContext&) {
        HttpResponse response;
        response.slice = SharedSlice{bytes, 0, bytes->size()};
        return response;
      },
      [](HttpServerOptions& options) { options.write_timeout = milliseconds(200); });
  RawClient client(server.port());
  client.Get("/");
  client.ReadHead();
  // More than 64 KiB in each time-out, but much less than a tenth of the answer.
  const Deadline patience = Deadline::After(std::chrono::seconds(10));
  while (bytes.use_count() > 1 && !patience.Expired()) {
    client.ReadPart();
    std::this_thread::sleep_for(milliseconds(25));
  }
  EXPECT_TRUE(server.log().Has("http_timed_out"));
  EXPECT_LT(client.ReadToEnd().size(), bytes->size() / 2);
}

TEST(HttpServerTest, AFullQueueIsRefusedAndTheConnectionLives) {
  std::counting_semaphore<> go(0);
  std::atomic<int> running = 0;
  TestServer server(
      [&](const HttpRequest&, const RequestContext&) {
        ++running;
        go.acquire();
        return TextAnswer("done");
      },
      [](HttpServerOptions& options) {
        options.threads = 1;
        options.longest_queue = 1;
      });
  RawClient first(server.port());
  first.Get("/");
  EXPECT_TRUE(Eventually([&] { return running == 1; }));
  RawClient second(server.port());
  RawClient third(server.port());
  second.Get("/");
  third.Get("/");
  // One of the two waits in the queue, the other is refused.
  EXPECT_TRUE(Eventually([&] { return server.log().Has("error=resource_exhausted"); }));
  go.release(3);
  EXPECT_EQ(first.ReadAnswer(), "200 done");
  const std::string a = second.ReadAnswer();
  const std::string b = third.ReadAnswer();
  EXPECT_THAT(a + b, HasSubstr("200 done"));
  EXPECT_THAT(a + b, HasSubstr("503 "));
  EXPECT_EQ((a == "200 done" ? third : second).Fetch("/"), "200 done");
}

TEST(HttpServerTest, IdleConnectionsMakeRoomForNewOnes) {
  TestServer server(EchoPath, [](HttpServerOptions& options) { options.most_connections = 4; });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    EXPECT_EQ(clients.back()->Fetch("/x"), "200 /x");
  }
  EXPECT_TRUE(clients[0]->IsClosed());
  EXPECT_EQ(clients[18]->Fetch("/y"), "200 /y");
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(4); }));
}

TEST(HttpServerTest, NewConnectionsWaitWhileAllAreBusy) {
  std::counting_semaphore<> go(0);
  std::atomic<int> running = 0;
  TestServer server(
      [&](const HttpRequest&, const RequestContext&) {
        ++running;
        go.acquire();
        return TextAnswer("done");
      },
      [](HttpServerOptions& options) { options.most_connections = 2; });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->Get("/");
  }
  EXPECT_TRUE(
      Eventually([&] { return running >= 2 && server.log().Has("http_connections_full"); }));
  EXPECT_LE(running, 3);
  go.release(6);
  for (const auto& client : clients) EXPECT_EQ(client->ReadAnswer(), "200 done");
}

TEST(HttpServerTest, AProbeIsAnsweredWhileAllThreadsWait) {
  std::atomic<bool> release = false;
  std::atomic<int> waiting = 0;
  TestServer server([&](const HttpRequest& request, const RequestContext&) {
    if (request.raw_path == "/probe") return TextAnswer("alive");
    ++waiting;
    EXPECT_TRUE(Eventually([&] { return release.load(); }));
    return TextAnswer("late");
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  // More than there are threads.
  for (int i = 0; i < 12; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->Get("/");
  }
  EXPECT_TRUE(Eventually([&] { return waiting > 0; }));
  RawClient probe(server.port());
  probe.Get("/probe");
  EXPECT_EQ(probe.ReadAnswer(), "200 alive");
  release = true;
}

TEST(HttpServerTest, StopAsksHandlersAndSendsTheirAnswers) {
  std::latch begun(4);
  std::atomic<int> unstopped = 0;
  TestServer server([&](const HttpRequest& request, const RequestContext& context) {
    if (request.raw_path == "/quick") return TextAnswer("quick");
    begun.count_down();
    if (!Eventually([&] { return context.stop.stop_requested(); })) ++unstopped;
    return TextAnswer("stopped");
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->Get("/");
  }
  begun.wait();
  RawClient queued(server.port());
  queued.Get("/quick");
  RawClient idle(server.port());
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(6); }));
  const std::uint16_t port = server.port();
  server.server().Stop();
  EXPECT_EQ(unstopped, 0);
  for (const auto& client : clients) {
    EXPECT_THAT(client->ReadToEnd(), HasSubstr("Connection: close\r\n\r\nstopped"));
  }
  EXPECT_TRUE(idle.IsClosed());
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0); }));
  EXPECT_FALSE(ConnectSocket("127.0.0.1", port, RawClient::Soon(), {}).ok());
  server.server().Stop();
}

TEST(HttpServerTest, StopDoesNotWaitForSlowReaders) {
  const auto bytes = std::make_shared<const Bytes>(Bytes(64 << 20));
  TestServer server([&](const HttpRequest&, const RequestContext&) {
    HttpResponse response;
    response.slice = SharedSlice{bytes, 0, bytes->size()};
    return response;
  });
  RawClient client(server.port());
  client.Get("/");
  EXPECT_THAT(client.ReadHead(), StartsWith("HTTP/1.1 200"));
  const auto begin = std::chrono::steady_clock::now();
  server.server().Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(15));
  EXPECT_EQ(bytes.use_count(), 1);
}

TEST(HttpServerTest, ExceptionsAreA500AndALogEvent) {
  TestServer server([](const HttpRequest& request, const RequestContext&) -> HttpResponse {
    if (request.raw_path == "/int") throw 5;
    throw std::runtime_error("broken\npipe");
  });
  RawClient client(server.port());
  EXPECT_THAT(client.Fetch("/a"), StartsWith("500 "));
  EXPECT_THAT(client.Fetch("/int"), StartsWith("500 "));
  EXPECT_TRUE(server.log().Has("error http_handler_failed"));
  EXPECT_TRUE(server.log().Has("cause=\"broken\\npipe\""));
}

TEST(HttpServerTest, AnswersThatWouldSplitAreA500) {
  TestServer server([](const HttpRequest&, const RequestContext&) {
    HttpResponse response;
    response.headers = {{"X", "a\r\nSet-Cookie: b"}};
    return response;
  });
  RawClient client(server.port());
  EXPECT_EQ(client.Fetch("/"), "500 ");
  EXPECT_TRUE(server.log().Has("http_answer_unsendable"));
}

TEST(HttpServerTest, MetricsAndLogsTellOfRequests) {
  TestServer server(EchoPath);
  RawClient client(server.port());
  EXPECT_EQ(client.Fetch("/abc"), "200 /abc");
  EXPECT_TRUE(Eventually(
      [&] { return server.HasMetric("requests_total{endpoint=\"s3\",status=\"2xx\"} 1"); }));
  EXPECT_TRUE(
      Eventually([&] { return server.HasMetric("response_bytes_total{endpoint=\"s3\"} 4"); }));
  EXPECT_TRUE(
      Eventually([&] { return server.HasMetric("request_seconds_count{endpoint=\"s3\"} 1"); }));
  EXPECT_TRUE(Eventually([&] { return server.log().Has("method=GET path=/abc status=200"); }));
  EXPECT_TRUE(server.log().Has("listener_started"));
}

TEST(HttpServerTest, ATakenAddressIsNamedWithAdvice) {
  TestServer server(EchoPath);
  ScriptedHandler handler(EchoPath);
  const auto logger = telemetry::MakeLogger(telemetry::LogLevel::kError,
                                            telemetry::LogFormat::kText, [](std::string_view) {});
  telemetry::Metrics metrics;
  HttpServerOptions options;
  options.endpoint = "s3";
  const auto start = [&](const std::string& host, std::uint16_t port) {
    options.address = {host, port};
    const auto started = StartHttpServer(options, handler, *logger, metrics);
    EXPECT_FALSE(started.ok());
    if (started.ok()) return std::string();
    EXPECT_EQ(started.error().code(), ErrorCode::kListenFailed);
    return started.error().message();
  };
  EXPECT_EQ(start("127.0.0.1", server.port()),
            "Cannot listen on 127.0.0.1:" + std::to_string(server.port()) +
                ": another process listens there already; stop it or choose another port");
  EXPECT_THAT(start("192.0.2.1", 0), HasSubstr("no interface of this machine has that address"));
  EXPECT_THAT(start("no-such-host.invalid", 0), HasSubstr("the name cannot be resolved"));
}

TEST(HttpServerTest, LocalhostIsLoopback) {
  TestServer server(EchoPath,
                    [](HttpServerOptions& options) { options.address = {"localhost", 0}; });
  RawClient client(server.port());
  EXPECT_EQ(client.Fetch("/x"), "200 /x");
}

TEST(HttpServerTest, TwoThousandNewConnectionsOneAfterTheOther) {
  TestServer server(EchoPath);
  for (int i = 0; i < 2000; ++i) {
    RawClient client(server.port());
    ASSERT_EQ(client.Fetch("/x"), "200 /x") << i;
  }
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0); }));
  EXPECT_TRUE(Eventually(
      [&] { return server.HasMetric("requests_total{endpoint=\"s3\",status=\"2xx\"} 2000"); }));
}

TEST(HttpServerTest, TwoHundredClientsAtOnce) {
  const auto bytes = std::make_shared<const Bytes>(Bytes(300'000, 'x'));
  TestServer server([&](const HttpRequest& request, const RequestContext& context) {
    if (request.raw_path != "/slice") return EchoPath(request, context);
    HttpResponse response;
    response.slice = SharedSlice{bytes, 0, bytes->size()};
    return response;
  });
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 200; ++t) {
      threads.emplace_back([&, t] {
        for (int round = 0; round < 2; ++round) {
          RawClient client(server.port());
          for (int i = 0; i < 5; ++i) {
            const std::string path = "/" + std::to_string(t * 1000 + i);
            if (client.Fetch(path) == "200 " + path) ++good;
          }
          if (client.Fetch("/slice").size() == 4 + bytes->size()) ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 200 * 2 * 6);
  EXPECT_TRUE(Eventually([&] { return server.HasConnections(0) && bytes.use_count() == 1; }));
}

}  // namespace
}  // namespace frazil::net
