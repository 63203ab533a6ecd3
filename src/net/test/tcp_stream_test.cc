// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_stream.h"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "net/socket_stream_internal.h"
#include "net/test/listener_fixture.h"

namespace frazil::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

Deadline Soon() { return Deadline::After(seconds(30)); }

std::unique_ptr<TcpStream> Connect(const TestListener& listener) {
  auto stream = ConnectTcp("127.0.0.1", listener.port(), Soon(), {});
  EXPECT_TRUE(stream.ok());
  return std::move(stream).value();
}

TEST(TcpStreamTest, BytesGoBothWays) {
  TestListener listener;
  const auto stream = Connect(listener);
  const auto peer = listener.Accept();
  ASSERT_TRUE(stream->WriteAll(AsBytes("hello"), Soon(), {}).ok());
  EXPECT_EQ(peer->Read(5), "hello");
  peer->Write("wor");
  peer->Write("ld");
  Bytes answer(5);
  ASSERT_TRUE(stream->ReadExact(answer, Soon(), {}).ok());
  EXPECT_EQ(AsText(answer), "world");
}

TEST(TcpStreamTest, MoreThanTheSocketsBufferIsWritten) {
  TestListener listener;
  const auto stream = Connect(listener);
  const auto peer = listener.Accept();
  const std::string text(16 << 20, 'x');
  std::string received;
  std::jthread reader([&] { received = peer->Read(text.size()); });
  EXPECT_TRUE(stream->WriteAll(AsBytes(text), Soon(), {}).ok());
  reader.join();
  EXPECT_EQ(received, text);
}

TEST(TcpStreamTest, NamesAreResolved) {
  TestListener listener;
  EXPECT_TRUE(ConnectTcp("localhost", listener.port(), Soon(), {}).ok());
}

TEST(TcpStreamTest, FailuresNameThePeer) {
  std::uint16_t port = 0;
  {
    TestListener listener;
    port = listener.port();
  }
  const auto refused = ConnectTcp("127.0.0.1", port, Soon(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kNetwork);
  EXPECT_NE(refused.error().message().find("127.0.0.1:" + std::to_string(port)), std::string::npos);
  const auto unknown = ConnectTcp("no-such-host.invalid", 1, Soon(), {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kNetwork);
}

TEST(TcpStreamTest, AClosedConnectionIsANetworkError) {
  TestListener listener;
  const auto stream = Connect(listener);
  auto peer = listener.Accept();
  peer->Write("abc");
  peer.reset();
  Bytes into(4);
  const Status status = stream->ReadExact(into, Soon(), {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kNetwork);
}

TEST(TcpStreamTest, EveryCallEndsByItsDeadline) {
  TestListener listener;
  const auto stream = Connect(listener);
  const auto peer = listener.Accept();
  Bytes into(1);
  const auto begin = steady_clock::now();
  const Status read = stream->ReadExact(into, Deadline::After(milliseconds(30)), {});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code(), ErrorCode::kDeadlineExceeded);
  const Bytes large(64 << 20);
  const Status write = stream->WriteAll(large, Deadline::After(milliseconds(30)), {});
  ASSERT_FALSE(write.ok());
  EXPECT_EQ(write.error().code(), ErrorCode::kDeadlineExceeded);
  EXPECT_LT(steady_clock::now() - begin, seconds(10));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(60));

  const auto late = ConnectTcp("127.0.0.1", listener.port(), Deadline::After(milliseconds(0)), {});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code(), ErrorCode::kDeadlineExceeded);
}

// Runs `call` and asks it to stop after a moment; gives how long it took to come back.
template <typename Call>
steady_clock::duration StopWhile(Call call) {
  std::stop_source source;
  steady_clock::time_point asked;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    asked = steady_clock::now();
    source.request_stop();
  });
  call(source.get_token());
  const auto back = steady_clock::now();
  stopper.join();
  return back - asked;
}

TEST(TcpStreamTest, EveryCallEndsWhenAskedToStop) {
  TestListener listener;
  const auto reading = Connect(listener);
  const auto writing = Connect(listener);
  EXPECT_LT(StopWhile([&](const std::stop_token& stop) {
              Bytes into(1);
              const Status status = reading->ReadExact(into, Soon(), stop);
              ASSERT_FALSE(status.ok());
              EXPECT_EQ(status.error().code(), ErrorCode::kCancelled);
            }),
            seconds(5));
  EXPECT_LT(StopWhile([&](const std::stop_token& stop) {
              const Bytes large(64 << 20);
              const Status status = writing->WriteAll(large, Soon(), stop);
              ASSERT_FALSE(status.ok());
              EXPECT_EQ(status.error().code(), ErrorCode::kCancelled);
            }),
            seconds(5));
}

TEST(TcpStreamTest, ConnectingEndsWhenAskedToStopOrLate) {
  // A listener whose queue is full answers no further connection.
  TestListener listener(0);
  std::vector<std::unique_ptr<TcpStream>> filling;
  while (filling.size() < 64) {
    auto stream = ConnectTcp("127.0.0.1", listener.port(), Deadline::After(milliseconds(100)), {});
    if (!stream.ok()) {
      EXPECT_EQ(stream.error().code(), ErrorCode::kDeadlineExceeded);
      break;
    }
    filling.push_back(std::move(stream).value());
  }
  ASSERT_LT(filling.size(), 64U);
  EXPECT_LT(StopWhile([&](const std::stop_token& stop) {
              const auto stream = ConnectTcp("127.0.0.1", listener.port(), Soon(), stop);
              ASSERT_FALSE(stream.ok());
              EXPECT_EQ(stream.error().code(), ErrorCode::kCancelled);
            }),
            seconds(5));
}

TEST(TcpStreamTest, AStopAskedForBeforehandIsSeen) {
  std::stop_source source;
  source.request_stop();
  TestListener listener;
  const auto never = ConnectTcp("127.0.0.1", listener.port(), Soon(), source.get_token());
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().code(), ErrorCode::kCancelled);
  const auto stream = Connect(listener);
  EXPECT_EQ(stream->WriteAll(AsBytes("x"), Soon(), source.get_token()).error().code(),
            ErrorCode::kCancelled);
}

TEST(SocketStreamTest, AQuietConnectionIsOneWithoutNews) {
  TestListener listener;
  const auto stream = ConnectSocket("127.0.0.1", listener.port(), Soon(), {});
  ASSERT_TRUE(stream.ok());
  auto peer = listener.Accept();
  EXPECT_TRUE((*stream)->IsQuiet());
  peer->Write("x");
  Bytes one(1);
  ASSERT_TRUE((*stream)->ReadExact(one, Soon(), {}).ok());
  EXPECT_TRUE((*stream)->IsQuiet());
  peer.reset();
  Bytes end(1);
  EXPECT_EQ(*(*stream)->ReadSome(end, Soon(), {}), 0U);
  EXPECT_FALSE((*stream)->IsQuiet());
}

}  // namespace
}  // namespace frazil::net
