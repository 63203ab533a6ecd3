// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_server.h"

#include <atomic>
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test/listener_fixture.h"

namespace frazil::net {
namespace {

using std::chrono::seconds;

Deadline Soon() { return Deadline::After(seconds(30)); }

// Sends back each byte, in upper case.
class Echo final : public TcpService {
 public:
  void Serve(TcpStream& stream, const std::stop_token& stop) override {
    Bytes byte(1);
    while (stream.ReadExact(byte, Soon(), stop).ok()) {
      if (byte[0] == '!') throw std::runtime_error("asked for");
      byte[0] = static_cast<std::uint8_t>(byte[0] - 32);
      if (!stream.WriteAll(byte, Soon(), stop).ok()) break;
    }
    ++ended;
  }
  std::atomic<int> ended = 0;
};

class TcpServerTest : public testing::Test {
 protected:
  std::unique_ptr<TcpServer> Start(std::size_t most_connections = 256) {
    auto server = StartTcpServer(
        {.address = {"127.0.0.1", 0}, .endpoint = "echo", .most_connections = most_connections},
        echo_, *logger_);
    EXPECT_TRUE(server.ok());
    return std::move(server).value();
  }
  static std::unique_ptr<TcpStream> Connect(const TcpServer& server) {
    return std::move(ConnectTcp("127.0.0.1", server.port(), Soon(), {})).value();
  }
  static std::string Ask(TcpStream& stream, std::string_view text) {
    EXPECT_TRUE(stream.WriteAll(AsBytes(text), Soon(), {}).ok());
    Bytes answer(text.size());
    const Status read = stream.ReadExact(answer, Soon(), {});
    return read.ok() ? std::string(AsText(answer)) : read.error().message();
  }

  std::string log_;
  std::unique_ptr<telemetry::Logger> logger_ =
      telemetry::MakeLogger(telemetry::LogLevel::kInfo, telemetry::LogFormat::kText,
                            [this](std::string_view line) { log_ += line; });
  Echo echo_;
};

TEST_F(TcpServerTest, ServesConnectionsSideBySide) {
  const auto server = Start();
  const auto first = Connect(*server);
  const auto second = Connect(*server);
  EXPECT_EQ(Ask(*second, "two"), "TWO");
  EXPECT_EQ(Ask(*first, "one"), "ONE");
}

TEST_F(TcpServerTest, AStopEndsConnectionsThatWait) {
  const auto server = Start();
  const auto stream = Connect(*server);
  EXPECT_EQ(Ask(*stream, "a"), "A");
  server->Stop();
  EXPECT_EQ(echo_.ended, 1);
  EXPECT_THAT(Ask(*stream, "b"), testing::HasSubstr("connection"));
}

TEST_F(TcpServerTest, AConnectionTooManyIsClosedAndRoomIsUsedAgain) {
  const auto server = Start(1);
  auto first = Connect(*server);
  EXPECT_EQ(Ask(*first, "a"), "A");
  const auto second = Connect(*server);
  Bytes byte(1);
  EXPECT_EQ(second->ReadExact(byte, Soon(), {}).error().code(), ErrorCode::kNetwork);
  first.reset();
  const Deadline deadline = Soon();
  while (echo_.ended == 0 && !deadline.Expired()) std::this_thread::yield();
  std::string answer;
  while (answer != "C" && !deadline.Expired()) answer = Ask(*Connect(*server), "c");
  EXPECT_EQ(answer, "C");
  server->Stop();
  EXPECT_THAT(log_, testing::HasSubstr("tcp_connections_full"));
}

TEST_F(TcpServerTest, AnExceptionEndsOnlyItsConnection) {
  const auto server = Start();
  const auto broken = Connect(*server);
  EXPECT_THAT(Ask(*broken, "!"), testing::HasSubstr("closed"));
  EXPECT_EQ(Ask(*Connect(*server), "x"), "X");
  server->Stop();
  EXPECT_THAT(log_, testing::HasSubstr("asked for"));
}

TEST_F(TcpServerTest, ATakenPortIsNamed) {
  const auto server = Start();
  const auto second = StartTcpServer({.address = {"127.0.0.1", server->port()}, .endpoint = "echo"},
                                     echo_, *logger_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), ErrorCode::kListenFailed);
  EXPECT_THAT(second.error().message(), testing::HasSubstr(std::to_string(server->port())));
}

}  // namespace
}  // namespace frazil::net
