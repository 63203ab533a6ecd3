// SPDX-License-Identifier: Apache-2.0
#include "kafka/broker/broker.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/wire/api_versions.h"
#include "kafka/wire/metadata.h"
#include "net/tcp_stream.h"

namespace frazil::kafka::broker {
namespace {

Deadline Soon() { return Deadline::After(std::chrono::seconds(30)); }

class BrokerTest : public testing::Test {
 protected:
  std::unique_ptr<Broker> Start(BrokerOptions options = {}) {
    if (options.listeners.empty()) options.listeners.push_back({{"127.0.0.1", 0}, std::nullopt});
    return StartBroker(options, clock_, *logger_).value();
  }
  static std::unique_ptr<net::TcpStream> Connect(const std::string& address) {
    const auto parsed = net::ListenAddress::Parse(address).value();
    return net::ConnectTcp(parsed.host, parsed.port, Soon(), {}).value();
  }
  // The body of the answer to a request of that version.
  template <typename Request>
  static Result<Bytes> Ask(net::TcpStream& stream, const Request& request, std::int16_t version) {
    const Bytes frame =
        wire::EncodeRequestFrame({Request::kApi, version, 3, std::nullopt}, request);
    FRAZIL_RETURN_IF_ERROR(stream.WriteAll(frame, Soon(), {}));
    Bytes length(4);
    FRAZIL_RETURN_IF_ERROR(stream.ReadExact(length, Soon(), {}));
    Bytes answer(LoadBigEndian<std::uint32_t>(length.data()));
    FRAZIL_RETURN_IF_ERROR(stream.ReadExact(answer, Soon(), {}));
    ByteView body;
    FRAZIL_RETURN_IF_ERROR(wire::DecodeResponseHeader(answer, Request::kApi, version, body));
    return Bytes(body.begin(), body.end());
  }

  SystemClock clock_;
  std::unique_ptr<telemetry::Logger> logger_ = telemetry::MakeLogger(
      telemetry::LogLevel::kError, telemetry::LogFormat::kText, [](std::string_view) {});
};

TEST_F(BrokerTest, AnswersRequestsOfOneConnectionInOrder) {
  const auto broker = Start();
  const auto stream = Connect(broker->addresses().at(0));
  for (int i = 0; i < 3; ++i) {
    const auto body = Ask(*stream, wire::ApiVersionsRequest{"test", "1"}, 3);
    ASSERT_TRUE(body.ok()) << body.error().message();
    EXPECT_TRUE(wire::DecodeApiVersionsResponse(*body, 3).ok());
  }
}

TEST_F(BrokerTest, EachListenerTellsItsOwnAddress) {
  BrokerOptions options;
  options.listeners = {{{"127.0.0.1", 0}, std::nullopt},
                       {{"127.0.0.1", 0}, net::ListenAddress{"proxy.example", 1234}}};
  const auto broker = Start(options);
  const auto told = [&](std::size_t listener) {
    const auto stream = Connect(broker->addresses().at(listener));
    const auto body = Ask(*stream, wire::MetadataRequest{}, 12).value();
    const auto found = wire::DecodeMetadataResponse(body, 12).value().brokers.at(0);
    return found.host + ":" + std::to_string(found.port);
  };
  EXPECT_EQ(told(0), broker->addresses()[0]);
  EXPECT_EQ(told(1), "proxy.example:1234");
}

TEST_F(BrokerTest, WhatIsNoRequestEndsTheConnectionAndNoOther) {
  const auto broker = Start();
  for (const std::string& garbage :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("\xff\xff\xff\xff"),
        std::string(4, '\0'), std::string("\0\0\0\4\0\x63\0\0", 8)}) {
    const auto stream = Connect(broker->addresses()[0]);
    ASSERT_TRUE(stream->WriteAll(AsBytes(garbage), Soon(), {}).ok());
    Bytes byte(1);
    EXPECT_EQ(stream->ReadExact(byte, Soon(), {}).error().code(), ErrorCode::kNetwork);
  }
  const auto stream = Connect(broker->addresses()[0]);
  EXPECT_TRUE(Ask(*stream, wire::MetadataRequest{}, 12).ok());
}

TEST_F(BrokerTest, AStopClosesConnections) {
  const auto broker = Start();
  const auto stream = Connect(broker->addresses()[0]);
  ASSERT_TRUE(Ask(*stream, wire::MetadataRequest{}, 12).ok());
  broker->Stop();
  EXPECT_FALSE(Ask(*stream, wire::MetadataRequest{}, 12).ok());
}

TEST_F(BrokerTest, AnAddressBeyondLoopbackIsRefused) {
  const BrokerOptions options{.listeners = {{{"0.0.0.0", 0}, std::nullopt}}};
  const auto broker = StartBroker(options, clock_, *logger_);
  ASSERT_FALSE(broker.ok());
  EXPECT_EQ(broker.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(broker.error().message(), testing::HasSubstr("0.0.0.0"));
}

}  // namespace
}  // namespace frazil::kafka::broker
