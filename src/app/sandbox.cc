// SPDX-License-Identifier: Apache-2.0
#include "app/sandbox.h"

#include <utility>

#include "base/clock.h"
#include "kafka/broker/broker.h"
#include "net/http_server.h"
#include "registry/embedded_registry.h"
#include "telemetry/metrics.h"

namespace frazil::app {
namespace {

Result<net::ListenAddress> ParseLoopback(const std::string& text) {
  FRAZIL_ASSIGN_OR_RETURN(net::ListenAddress address, net::ListenAddress::Parse(text));
  if (address.IsLoopback()) return address;
  return Error(ErrorCode::kInvalidArgument,
               "the sandbox has no authentication and listens on loopback only: " + text);
}

Result<kafka::broker::BrokerListener> ParseKafkaListener(const std::string& text) {
  const std::size_t end = text.find('=');
  kafka::broker::BrokerListener listener;
  FRAZIL_ASSIGN_OR_RETURN(listener.listen, ParseLoopback(text.substr(0, end)));
  if (end == std::string::npos) return listener;
  FRAZIL_ASSIGN_OR_RETURN(listener.advertised, net::ListenAddress::Parse(text.substr(end + 1)));
  return listener;
}

class StartedSandbox final : public Sandbox {
 public:
  explicit StartedSandbox(telemetry::Logger& logger) : logger_(logger) {}

  ~StartedSandbox() override { Stop(); }
  StartedSandbox(const StartedSandbox&) = delete;
  StartedSandbox& operator=(const StartedSandbox&) = delete;

  Status Start(const SandboxSettings& settings) {
    kafka::broker::BrokerOptions options;
    for (const std::string& text : settings.kafka_listen) {
      FRAZIL_ASSIGN_OR_RETURN(auto listener, ParseKafkaListener(text));
      options.listeners.push_back(std::move(listener));
    }
    options.memory_bytes = static_cast<std::size_t>(settings.kafka_memory) << 20;
    options.auto_create_topics = settings.create_topics;
    options.default_partitions = settings.partitions;
    net::HttpServerOptions http;
    FRAZIL_ASSIGN_OR_RETURN(http.address, ParseLoopback(settings.registry_listen));
    http.endpoint = "registry";
    http.threads = 2;
    FRAZIL_ASSIGN_OR_RETURN(broker_, kafka::broker::StartBroker(options, clock_, logger_));
    FRAZIL_ASSIGN_OR_RETURN(registry_server_,
                            net::StartHttpServer(http, *registry_, logger_, metrics_));
    http.address.port = registry_server_->port();
    registry_url_ = "http://" + http.address.ToString();
    return {};
  }

  const std::vector<std::string>& kafka_addresses() const override { return broker_->addresses(); }
  const std::string& registry_url() const override { return registry_url_; }

  void Stop() override {
    if (broker_) broker_->Stop();
    if (registry_server_) registry_server_->Stop();
  }

 private:
  telemetry::Logger& logger_;
  const SystemClock clock_;
  telemetry::Metrics metrics_;
  std::unique_ptr<kafka::broker::Broker> broker_;
  std::unique_ptr<net::HttpHandler> registry_ = registry::MakeEmbeddedRegistry();
  std::unique_ptr<net::HttpServer> registry_server_;
  std::string registry_url_;
};

}  // namespace

Result<std::unique_ptr<Sandbox>> StartSandbox(const SandboxSettings& settings,
                                              telemetry::Logger& logger) {
  auto sandbox = std::make_unique<StartedSandbox>(logger);
  FRAZIL_RETURN_IF_ERROR(sandbox->Start(settings));
  return std::unique_ptr<Sandbox>(std::move(sandbox));
}

}  // namespace frazil::app
