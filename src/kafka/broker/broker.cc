// SPDX-License-Identifier: Apache-2.0
#include "kafka/broker/broker.h"

#include <algorithm>
#include <future>
#include <span>
#include <utility>

#include "base/random.h"
#include "kafka/broker/requests_internal.h"
#include "net/tcp_server.h"

namespace frazil::kafka::broker {
namespace {

using telemetry::LogLevel;

constexpr std::size_t kMostRequestBytes = std::size_t{16} << 20;
// Allocated at once for a request that claims more; the rest follows as bytes arrive.
constexpr std::size_t kTrustedRequestBytes = std::size_t{64} << 10;
// Apache Kafka's connections.max.idle.ms.
constexpr std::chrono::minutes kIdleTimeout{10};
constexpr std::chrono::seconds kReadTimeout{30};
constexpr std::chrono::seconds kWriteTimeout{60};

Result<Bytes> ReadFrame(net::TcpStream& stream, const std::stop_token& stop) {
  Bytes length(4);
  FRAZIL_RETURN_IF_ERROR(stream.ReadExact(length, Deadline::After(kIdleTimeout), stop));
  const auto size = LoadBigEndian<std::int32_t>(length.data());
  if (size < 0 || static_cast<std::size_t>(size) > kMostRequestBytes) {
    return Error(
        ErrorCode::kKafkaProtocol,
        "A request to the embedded broker must have 0 to 16 MiB: " + std::to_string(size) + ".");
  }
  const Deadline deadline = Deadline::After(kReadTimeout);
  const auto wanted = static_cast<std::size_t>(size);
  Bytes frame;
  while (frame.size() < wanted) {
    const std::size_t filled = frame.size();
    frame.resize(std::min(wanted, std::max(filled * 2, kTrustedRequestBytes)));
    FRAZIL_RETURN_IF_ERROR(stream.ReadExact(std::span(frame).subspan(filled), deadline, stop));
  }
  return frame;
}

// What one listener's clients are served by.
class Service final : public net::TcpService {
 public:
  Service(BrokerState& state, telemetry::Logger& logger) : state_(state), logger_(logger) {}

  // Once; connections wait for it.
  void Advertise(Endpoint endpoint) { endpoint_promise_.set_value(std::move(endpoint)); }

  void Serve(net::TcpStream& stream, const std::stop_token& stop) override {
    const Status ended = ServeAll(stream, endpoint_.get(), stop);
    const ErrorCode code = ended.error().code();
    // A client that leaves, or a broker that stops, is no news.
    const bool expected = code == ErrorCode::kNetwork || code == ErrorCode::kCancelled;
    logger_.Event(expected ? LogLevel::kDebug : LogLevel::kWarn, "kafka_connection_closed",
                  {{"cause", ended.error().message()}});
  }

 private:
  // Never ok.
  Status ServeAll(net::TcpStream& stream, const Endpoint& endpoint, const std::stop_token& stop) {
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(const Bytes frame, ReadFrame(stream, stop));
      FRAZIL_ASSIGN_OR_RETURN(const Bytes answer, AnswerRequest(frame, state_, endpoint, stop));
      FRAZIL_RETURN_IF_ERROR(stream.WriteAll(answer, Deadline::After(kWriteTimeout), stop));
    }
  }

  BrokerState& state_;
  telemetry::Logger& logger_;
  // The port is not known before the server listens.
  std::promise<Endpoint> endpoint_promise_;
  const std::shared_future<Endpoint> endpoint_ = endpoint_promise_.get_future().share();
};

Status CheckOptions(const BrokerOptions& options) {
  for (const BrokerListener& listener : options.listeners) {
    if (listener.listen.IsLoopback()) continue;
    return Error(ErrorCode::kInvalidArgument,
                 "The embedded broker has no authentication and listens on loopback only: " +
                     listener.listen.ToString());
  }
  if (options.listeners.empty() || options.default_partitions < 1 || options.most_connections < 1) {
    return Error(ErrorCode::kInvalidArgument,
                 "The embedded broker needs a listener, a partition and a connection");
  }
  return {};
}

StateOptions StateOptionsOf(const BrokerOptions& options) {
  StateOptions state;
  state.store.memory_bytes = options.memory_bytes;
  state.auto_create_topics = options.auto_create_topics;
  state.default_partitions = options.default_partitions;
  return state;
}

// Positive, and with room for as many producers as there will ever be.
std::int64_t RandomProducerId() {
  Bytes bytes(8);
  FillRandom(bytes);
  return LoadBigEndian<std::int64_t>(bytes.data()) & 0x0000'FFFF'FFFF'0000;
}

class ListeningBroker final : public Broker {
 public:
  ListeningBroker(const BrokerOptions& options, const Clock& clock, telemetry::Logger& logger)
      : state_(StateOptionsOf(options), clock, Uuid::Random().ToString(), RandomProducerId()),
        logger_(logger) {}

  ~ListeningBroker() override { Stop(); }
  ListeningBroker(const ListeningBroker&) = delete;
  ListeningBroker& operator=(const ListeningBroker&) = delete;

  Status Start(const BrokerOptions& options) {
    for (const BrokerListener& listener : options.listeners) {
      auto& service = services_.emplace_back(std::make_unique<Service>(state_, logger_));
      const net::TcpServerOptions server_options{.address = listener.listen,
                                                 .endpoint = "kafka",
                                                 .most_connections = options.most_connections};
      FRAZIL_ASSIGN_OR_RETURN(auto server, net::StartTcpServer(server_options, *service, logger_));
      net::ListenAddress address = listener.listen;
      address.port = server->port();
      addresses_.push_back(address.ToString());
      const net::ListenAddress told = listener.advertised.value_or(address);
      service->Advertise({told.host, told.port});
      servers_.push_back(std::move(server));
    }
    return {};
  }

  const std::vector<std::string>& addresses() const override { return addresses_; }

  void Stop() override {
    for (const auto& server : servers_) server->Stop();
  }

 private:
  BrokerState state_;
  telemetry::Logger& logger_;
  std::vector<std::unique_ptr<Service>> services_;
  std::vector<std::unique_ptr<net::TcpServer>> servers_;
  std::vector<std::string> addresses_;
};

}  // namespace

Result<std::unique_ptr<Broker>> StartBroker(const BrokerOptions& options, const Clock& clock,
                                            telemetry::Logger& logger) {
  FRAZIL_RETURN_IF_ERROR(CheckOptions(options));
  auto broker = std::make_unique<ListeningBroker>(options, clock, logger);
  FRAZIL_RETURN_IF_ERROR(broker->Start(options));
  return std::unique_ptr<Broker>(std::move(broker));
}

}  // namespace frazil::kafka::broker
