// SPDX-License-Identifier: Apache-2.0
// A blocking listener on a free port of loopback, for servers that a test scripts byte by byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/socket_stream_internal.h"

namespace frazil::net {

class TestPeer {
 public:
  explicit TestPeer(FileDescriptor socket) : socket_(std::move(socket)) {}

  void Write(std::string_view text) {
    EXPECT_EQ(::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // Shorter when the other side closes first.
  std::string Read(std::size_t size) {
    std::string text;
    while (text.size() < size) {
      char buffer[65536];
      const ssize_t received =
          ::recv(socket_.number(), buffer, std::min(sizeof(buffer), size - text.size()), 0);
      if (received <= 0) break;
      text.append(buffer, static_cast<std::size_t>(received));
    }
    return text;
  }
  // A request without body, empty when the other side closes first.
  std::string ReadHead() {
    std::string text;
    while (!text.ends_with("\r\n\r\n")) {
      const std::string more = Read(1);
      if (more.empty()) break;
      text += more;
    }
    return text;
  }

 private:
  FileDescriptor socket_;
};

class TestListener {
 public:
  explicit TestListener(int backlog = 16)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(socket_.number(), backlog), 0);
    socklen_t length = sizeof(address);
    EXPECT_EQ(::getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    port_ = ntohs(address.sin_port);
  }

  std::uint16_t port() const { return port_; }
  std::unique_ptr<TestPeer> Accept() {
    FileDescriptor socket(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_TRUE(socket.valid());
    return std::make_unique<TestPeer>(std::move(socket));
  }

 private:
  FileDescriptor socket_;
  std::uint16_t port_ = 0;
};

}  // namespace frazil::net
