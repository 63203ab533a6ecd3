// SPDX-License-Identifier: Apache-2.0
// The TcpStream behind ConnectTcp, with the partial read that the HTTP client needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "net/tcp_stream.h"

namespace frazil::net {

// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Waits with poll(2) on the socket and on an eventfd that a stop request writes to.
class SocketStream final : public TcpStream {
 public:
  // Both descriptors are non-blocking.
  SocketStream(FileDescriptor socket, FileDescriptor wake, std::string peer);

  Status WriteAll(ByteView data, Deadline deadline, const std::stop_token& stop) override;
  Status ReadExact(std::span<std::uint8_t> into, Deadline deadline,
                   const std::stop_token& stop) override;
  // At least one byte, or 0 when the peer has closed. Requires: `into` is not empty.
  Result<std::size_t> ReadSome(std::span<std::uint8_t> into, Deadline deadline,
                               const std::stop_token& stop);
  // Ends this direction; the peer may go on sending.
  Status EndWriting();
  // Whether an idle connection can still be used: nothing has come, and the peer has not closed.
  bool IsQuiet() const;

 private:
  FileDescriptor socket_;
  FileDescriptor wake_;
  const std::string peer_;
};

Result<std::unique_ptr<SocketStream>> ConnectSocket(const std::string& host, std::uint16_t port,
                                                    Deadline deadline, const std::stop_token& stop);

}  // namespace frazil::net
