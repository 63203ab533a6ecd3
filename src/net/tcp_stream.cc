// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_stream.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/mutex.h"
#include "net/address_internal.h"
#include "net/socket_stream_internal.h"

namespace frazil::net {
namespace {

std::string SystemMessage(int number) { return std::generic_category().message(number); }

Error Broken(const std::string& peer, int number) {
  return {ErrorCode::kNetwork,
          "The connection to " + peer + " broke (" + SystemMessage(number) + ")"};
}

Error Late(const std::string& peer) {
  return {ErrorCode::kDeadlineExceeded, "No answer came in time from " + peer};
}

Error Cancelled() { return {ErrorCode::kCancelled, "The work on a connection was stopped"}; }

// Waits until the socket is ready (or in error, which the next call on it tells).
Status WaitFor(int socket, short events, int wake, const std::string& peer, Deadline deadline,
               const std::stop_token& stop) {
  const std::stop_callback callback(stop, [wake] {
    const std::uint64_t one = 1;
    // It can only fail when the counter is full, and then it wakes as well.
    [[maybe_unused]] const ssize_t written = ::write(wake, &one, sizeof(one));
  });
  while (true) {
    if (stop.stop_requested()) return Cancelled();
    if (deadline.Expired()) return Late(peer);
    pollfd entries[2] = {{socket, events, 0}, {wake, POLLIN, 0}};
    // One more, as Remaining() rounds down: no busy turn at the end.
    const auto wait = std::min<std::int64_t>(deadline.Remaining().count(), 1 << 30) + 1;
    const int ready = ::poll(entries, 2, static_cast<int>(wait));
    if (ready < 0 && errno != EINTR) return Broken(peer, errno);
    if (ready > 0 && entries[0].revents != 0) return {};
  }
}

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  int family = AF_UNSPEC;
};

struct Resolved {
  int error = 0;
  std::vector<Address> addresses;
};

Resolved Resolve(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Resolved resolved;
  resolved.error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (resolved.error != 0) return resolved;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    Address& address = resolved.addresses.emplace_back();
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
    address.family = entry->ai_family;
  }
  ::freeaddrinfo(list);
  return resolved;
}

// The system's resolver cannot be interrupted, so it runs on a thread of its own, which outlives a
// caller that gives up on it and ends with the resolver's own time-out.
class Resolution {
 public:
  void Finish(Resolved resolved) {
    {
      MutexLock lock(mutex_);
      resolved_ = std::move(resolved);
    }
    finished_.NotifyAll();
  }
  std::optional<Resolved> Wait(Deadline deadline, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    while (!resolved_) {
      if (!finished_.WaitUntil(mutex_, deadline, stop) && !resolved_) return std::nullopt;
    }
    return std::exchange(resolved_, std::nullopt);
  }

 private:
  Mutex mutex_;
  ConditionVariable finished_;
  std::optional<Resolved> resolved_ FRAZIL_GUARDED_BY(mutex_);
};

Result<std::vector<Address>> ResolveInTime(const std::string& host, std::uint16_t port,
                                           Deadline deadline, const std::stop_token& stop) {
  Resolved resolved = Resolve(host, port, AI_NUMERICHOST);
  if (resolved.error != 0) {
    const auto resolution = std::make_shared<Resolution>();
    std::thread([resolution, host, port] {
      resolution->Finish(Resolve(host, port, AI_ADDRCONFIG));
    }).detach();
    auto found = resolution->Wait(deadline, stop);
    if (!found) {
      if (stop.stop_requested()) return Cancelled();
      return Error(ErrorCode::kDeadlineExceeded,
                   "The name of a host was not resolved in time: " + host);
    }
    resolved = *std::move(found);
  }
  if (resolved.error != 0 || resolved.addresses.empty()) {
    return Error(ErrorCode::kNetwork, "The name of a host cannot be resolved (" +
                                          std::string(::gai_strerror(resolved.error)) +
                                          "); check it, and the network: " + host);
  }
  return std::move(resolved.addresses);
}

Result<std::unique_ptr<SocketStream>> ConnectAddress(const Address& address,
                                                     const std::string& peer, Deadline deadline,
                                                     const std::stop_token& stop) {
  FileDescriptor socket(
      ::socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!socket.valid()) return Broken(peer, errno);
  FileDescriptor wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake.valid()) return Broken(peer, errno);
  const int on = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(socket.number(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  int failure = 0;
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address.storage),
                address.length) != 0) {
    failure = errno;
  }
  if (failure == EINPROGRESS || failure == EINTR) {
    FRAZIL_RETURN_IF_ERROR(WaitFor(socket.number(), POLLOUT, wake.number(), peer, deadline, stop));
    socklen_t length = sizeof(failure);
    if (::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &failure, &length) != 0) {
      failure = errno;
    }
  }
  if (failure != 0) {
    return Error(ErrorCode::kNetwork, "No connection to " + peer + " could be made (" +
                                          SystemMessage(failure) +
                                          "); check that it runs and can be reached");
  }
  return std::make_unique<SocketStream>(std::move(socket), std::move(wake), peer);
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (valid()) ::close(number_);
}

SocketStream::SocketStream(FileDescriptor socket, FileDescriptor wake, std::string peer)
    : socket_(std::move(socket)), wake_(std::move(wake)), peer_(std::move(peer)) {}

Status SocketStream::WriteAll(ByteView data, Deadline deadline, const std::stop_token& stop) {
  while (!data.empty()) {
    if (stop.stop_requested()) return Cancelled();
    if (deadline.Expired()) return Late(peer_);
    const ssize_t sent = ::send(socket_.number(), data.data(), data.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      data = data.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      FRAZIL_RETURN_IF_ERROR(
          WaitFor(socket_.number(), POLLOUT, wake_.number(), peer_, deadline, stop));
    } else if (errno != EINTR) {
      return Broken(peer_, errno);
    }
  }
  return {};
}

Result<std::size_t> SocketStream::ReadSome(std::span<std::uint8_t> into, Deadline deadline,
                                           const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return Cancelled();
    if (deadline.Expired()) return Late(peer_);
    const ssize_t received = ::recv(socket_.number(), into.data(), into.size(), 0);
    if (received >= 0) return static_cast<std::size_t>(received);
    if (errno == EAGAIN) {
      FRAZIL_RETURN_IF_ERROR(
          WaitFor(socket_.number(), POLLIN, wake_.number(), peer_, deadline, stop));
    } else if (errno != EINTR) {
      return Broken(peer_, errno);
    }
  }
}

Status SocketStream::ReadExact(std::span<std::uint8_t> into, Deadline deadline,
                               const std::stop_token& stop) {
  while (!into.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(const std::size_t received, ReadSome(into, deadline, stop));
    if (received == 0) {
      return Error(ErrorCode::kNetwork, "The connection was closed by " + peer_);
    }
    into = into.subspan(received);
  }
  return {};
}

Status SocketStream::EndWriting() {
  if (::shutdown(socket_.number(), SHUT_WR) != 0) return Broken(peer_, errno);
  return {};
}

bool SocketStream::IsQuiet() const {
  std::uint8_t byte = 0;
  const ssize_t received = ::recv(socket_.number(), &byte, 1, MSG_PEEK);
  return received < 0 && (errno == EAGAIN || errno == EINTR);
}

Result<std::unique_ptr<SocketStream>> ConnectSocket(const std::string& host, std::uint16_t port,
                                                    Deadline deadline,
                                                    const std::stop_token& stop) {
  const std::string peer = JoinHostPort(host, port);
  try {
    if (stop.stop_requested()) return Cancelled();
    if (deadline.Expired()) return Late(peer);
    FRAZIL_ASSIGN_OR_RETURN(const auto addresses, ResolveInTime(host, port, deadline, stop));
    for (std::size_t i = 0;; ++i) {
      // An address that swallows packets must not use up the time of those behind it.
      const auto left = static_cast<std::int64_t>(addresses.size() - i);
      auto stream =
          ConnectAddress(addresses[i], peer, deadline.Within(deadline.Remaining() / left), stop);
      if (stream.ok() || left == 1 || stream.error().code() == ErrorCode::kCancelled) {
        return stream;
      }
    }
  } catch (const std::exception& exception) {
    return Error(ErrorCode::kNetwork,
                 "No connection to " + peer + " could be made (" + exception.what() + ")");
  }
}

Result<std::unique_ptr<TcpStream>> ConnectTcp(const std::string& host, std::uint16_t port,
                                              Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(std::unique_ptr<TcpStream> stream,
                          ConnectSocket(host, port, deadline, stop));
  return stream;
}

}  // namespace frazil::net
