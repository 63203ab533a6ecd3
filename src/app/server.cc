// SPDX-License-Identifier: Apache-2.0
#include "app/server.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/kafka_record_source.h"
#include "app/registry_schema_source.h"
#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/thread_pool.h"
#include "kafka/client/cluster.h"
#include "ledger/ledger.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "registry/registry_client.h"
#include "serve/catalog/catalog_handler.h"
#include "serve/catalog/credential_source.h"
#include "serve/console/console_handler.h"
#include "serve/s3/s3_handler.h"
#include "serve/s3/vended_keys.h"
#include "table/object_cache.h"
#include "table/table_inspector.h"
#include "table/virtual_catalog.h"
#include "telemetry/metrics.h"

namespace frazil::app {
namespace {

using telemetry::LogLevel;

constexpr std::chrono::milliseconds kReadinessTimeout{2000};
constexpr std::size_t kLongestFetchQueue = 4096;
constexpr std::size_t kBackgroundThreads = 1;

class KeySource final : public serve::catalog::CredentialSource {
 public:
  explicit KeySource(const serve::s3::VendedKeys& keys) : keys_(keys) {}

  serve::catalog::VendedCredential Vend(const Uuid& table_uuid,
                                        const std::string& /*location*/) const override {
    serve::s3::VendedKey key = keys_.Vend(table_uuid);
    return {.access_key_id = std::move(key.access_key_id),
            .secret_access_key = std::move(key.secret_access_key),
            .session_token = std::move(key.session_token),
            .expires = key.expires};
  }

 private:
  const serve::s3::VendedKeys& keys_;
};

// Sends each request of the catalog's listener to the edge that answers its path.
class CatalogListener final : public net::HttpHandler {
 public:
  CatalogListener(net::HttpHandler& catalog, net::HttpHandler& console)
      : catalog_(catalog), console_(console) {}

  net::HttpResponse Handle(const net::HttpRequest& request,
                           const net::RequestContext& context) override {
    return EdgeOf(request).Handle(request, context);
  }
  net::HttpResponse Refuse(const Error& error) override { return catalog_.Refuse(error); }
  bool MayTakeLong(const net::HttpRequest& request) const override {
    return EdgeOf(request).MayTakeLong(request);
  }

 private:
  net::HttpHandler& EdgeOf(const net::HttpRequest& request) const {
    return request.raw_path.starts_with(serve::console::kConsoleRoot) ? console_ : catalog_;
  }

  net::HttpHandler& catalog_;
  net::HttpHandler& console_;
};

// The parts of the settings that have to be read before anything is opened.
struct Addresses {
  std::vector<kafka::BrokerAddress> brokers;
  std::optional<net::HttpUrl> registry;
  net::ListenAddress catalog;
  net::ListenAddress s3;
};

Error InSetting(std::string_view name, const Error& error) {
  return Error(ErrorCode::kConfigInvalid, fmt::format("setting {}: {}", name, error.message()));
}

Result<net::ListenAddress> ParseListener(std::string_view name, const std::string& text,
                                         bool insecure) {
  auto address = net::ListenAddress::Parse(text);
  if (!address.ok()) return InSetting(name, address.error());
  // The name stands for two addresses, of which a listener has one: clients are told which.
  if (address->host == "localhost") address->host = "127.0.0.1";
  if (!address->IsLoopback() && !insecure) {
    return Error(ErrorCode::kConfigInvalid,
                 fmt::format("setting {}: this address can be reached from other machines, and the "
                             "catalog has no authentication yet; listen on loopback, or say "
                             "--insecure: {}",
                             name, text));
  }
  return address;
}

// `listener` is where clients would be sent without a URL.
Status CheckAdvertised(std::string_view name, const std::string& url,
                       const net::ListenAddress& listener) {
  if (url.empty()) {
    if (listener.host != "0.0.0.0" && listener.host != "::") return {};
    return Error(ErrorCode::kConfigInvalid,
                 fmt::format("setting {} is missing: clients cannot be sent to {}", name,
                             listener.ToString()));
  }
  const auto parsed = net::HttpUrl::Parse(url);
  // Clients may reach the server through a proxy that speaks TLS.
  const bool is_https = url.starts_with("https://");
  if (!parsed.ok() && !is_https) return InSetting(name, parsed.error());
  return {};
}

Result<Addresses> ParseAddresses(const Settings& settings) {
  Addresses addresses;
  for (const std::string& text : settings.kafka) {
    auto broker = kafka::BrokerAddress::Parse(text);
    if (!broker.ok()) return InSetting("kafka", broker.error());
    addresses.brokers.push_back(*broker);
  }
  if (!settings.registry.empty()) {
    auto registry = net::HttpUrl::Parse(settings.registry);
    if (!registry.ok()) return InSetting("registry", registry.error());
    addresses.registry = *registry;
  }
  FRAZIL_ASSIGN_OR_RETURN(addresses.catalog,
                          ParseListener("listen", settings.listen, settings.insecure));
  FRAZIL_ASSIGN_OR_RETURN(addresses.s3,
                          ParseListener("s3-listen", settings.s3_listen, settings.insecure));
  FRAZIL_RETURN_IF_ERROR(CheckAdvertised("advertise", settings.advertise, addresses.catalog));
  FRAZIL_RETURN_IF_ERROR(CheckAdvertised("s3-advertise", settings.s3_advertise, addresses.s3));
  return addresses;
}

// The URL that clients are told of a listener.
std::string AdvertisedUrl(const std::string& advertised, net::ListenAddress address,
                          std::uint16_t port) {
  if (!advertised.empty()) {
    return advertised.ends_with('/') ? advertised.substr(0, advertised.size() - 1) : advertised;
  }
  address.port = port;
  return "http://" + address.ToString();
}

kafka::ClusterOptions ClusterOptionsOf(const Settings& settings, const Addresses& addresses) {
  kafka::ClusterOptions options;
  options.bootstrap = addresses.brokers;
  options.request_timeout = settings.kafka_timeout;
  options.connect_timeout = std::min(options.connect_timeout, settings.kafka_timeout);
  options.max_connections_per_broker = static_cast<int>(settings.fetch_parallel + settings.threads);
  options.batch_limits.max_record_bytes = static_cast<std::size_t>(settings.max_record_bytes);
  options.stall_timeout = settings.stall_timeout;
  return options;
}

table::TableOptions TableOptionsOf(const Settings& settings) {
  table::TableOptions options;
  options.snapshot_backdate = settings.snapshot_backdate;
  options.cut_interval = settings.cut_interval;
  options.kafka_timeout = settings.kafka_timeout;
  options.registry_timeout = settings.registry_timeout;
  options.schema_cache = settings.schema_cache;
  options.load_wait = settings.load_wait;
  options.history_snapshots = static_cast<std::size_t>(settings.history_snapshots);
  options.history_retention = settings.history_retention;
  options.chunk_bytes = static_cast<std::size_t>(settings.chunk_bytes);
  return options;
}

// Null without a registry.
std::unique_ptr<registry::Client> MakeRegistry(const Settings& settings, const Addresses& addresses,
                                               telemetry::Metrics& metrics) {
  if (!addresses.registry) return nullptr;
  return registry::MakeClient(net::MakeHttpClient(*addresses.registry), settings.registry, metrics,
                              {.timeout = settings.registry_timeout});
}

std::unique_ptr<table::SchemaSource> MakeSchemaSource(registry::Client* client) {
  if (client == nullptr) return std::make_unique<NoSchemaSource>();
  return std::make_unique<RegistrySchemaSource>(*client);
}

// Members are declared in the order in which they are needed, and leave in the opposite one.
class WiredServer final : public Server {
 public:
  WiredServer(const Settings& settings, std::string version, const Addresses& addresses,
              telemetry::Logger& logger)
      : settings_(settings),
        version_(std::move(version)),
        listen_(addresses.catalog),
        logger_(logger),
        cluster_(ClusterOptionsOf(settings, addresses), metrics_),
        records_(cluster_),
        registry_(MakeRegistry(settings, addresses, metrics_)),
        schemas_(MakeSchemaSource(registry_.get())),
        pool_(static_cast<std::size_t>(settings.fetch_parallel), kLongestFetchQueue),
        background_(kBackgroundThreads, kLongestFetchQueue),
        budget_(static_cast<std::size_t>(settings.memory_limit)),
        cache_(static_cast<std::size_t>(std::min(settings.cache_bytes, settings.memory_limit / 2)),
               static_cast<std::size_t>(settings.fetch_parallel), budget_, metrics_) {}

  ~WiredServer() override { Stop(); }

  Status Start(const Addresses& addresses) {
    FRAZIL_ASSIGN_OR_RETURN(ledger_, ledger::OpenSqliteLedger(settings_.data_dir, clock_));
    FRAZIL_ASSIGN_OR_RETURN(auto selection,
                            table::TopicSelection::Parse(settings_.topics, settings_.aliases));
    const table::TableContext context{.records = records_,
                                      .schemas = *schemas_,
                                      .ledger = *ledger_,
                                      .cache = cache_,
                                      .memory = budget_,
                                      .pool = pool_,
                                      .background = background_,
                                      .clock = clock_,
                                      .logger = logger_,
                                      .metrics = metrics_,
                                      .options = TableOptionsOf(settings_)};
    catalog_ = std::make_unique<table::VirtualCatalog>(std::move(selection), context);
    inspector_ = std::make_unique<table::TableInspector>(*catalog_, context);
    keys_ = std::make_unique<serve::s3::VendedKeys>(ledger_->Secret(), clock_);
    key_source_ = std::make_unique<KeySource>(*keys_);
    // The S3 endpoint first: its port stands in what the catalog tells.
    s3_handler_ = serve::s3::MakeS3Handler(*catalog_, *keys_, clock_, logger_);
    FRAZIL_ASSIGN_OR_RETURN(s3_server_, net::StartHttpServer(ServerOptions(addresses.s3, "s3"),
                                                             *s3_handler_, logger_, metrics_));
    s3_url_ = AdvertisedUrl(settings_.s3_advertise, addresses.s3, s3_server_->port());
    catalog_handler_ = serve::catalog::MakeCatalogHandler(
        {.s3_endpoint = s3_url_ + "/", .region = settings_.region}, *catalog_, *key_source_,
        [this] { return CheckKafka(Deadline::After(kReadinessTimeout), {}); }, logger_, metrics_);
    console_handler_ = serve::console::MakeConsoleHandler(
        *inspector_,
        [this](Deadline deadline, const std::stop_token& stop) { return Probe(deadline, stop); },
        logger_);
    listener_ = std::make_unique<CatalogListener>(*catalog_handler_, *console_handler_);
    FRAZIL_ASSIGN_OR_RETURN(catalog_server_,
                            net::StartHttpServer(ServerOptions(addresses.catalog, "catalog"),
                                                 *listener_, logger_, metrics_));
    catalog_url_ = AdvertisedUrl(settings_.advertise, addresses.catalog, catalog_server_->port());
    catalog_port_.store(catalog_server_->port());
    return {};
  }

  const std::string& catalog_url() const override { return catalog_url_; }
  const std::string& s3_url() const override { return s3_url_; }

  void Stop() override {
    if (catalog_server_) catalog_server_->Stop();
    if (s3_server_) s3_server_->Stop();
  }

 private:
  net::HttpServerOptions ServerOptions(const net::ListenAddress& address,
                                       std::string endpoint) const {
    net::HttpServerOptions options;
    options.address = address;
    options.endpoint = std::move(endpoint);
    options.threads = static_cast<std::size_t>(settings_.threads);
    options.handle_timeout = settings_.load_timeout;
    return options;
  }

  // Ready is a server whose Kafka answers; which topics there are does not matter.
  Status CheckKafka(Deadline deadline, const std::stop_token& stop) {
    const auto topics = records_.ListTopics(deadline, stop);
    return topics.ok() ? Status() : topics.error();
  }

  // Whether the registry answers; no subject need exist for that.
  Status CheckRegistry(Deadline deadline, const std::stop_token& stop) {
    const auto versions = registry_->Versions("frazil-status", deadline, stop);
    const bool answered = versions.ok() || versions.error().code() == ErrorCode::kSchemaNotFound;
    return answered ? Status() : versions.error();
  }

  serve::console::ServerState Probe(Deadline deadline, const std::stop_token& stop) {
    const Deadline wait = deadline.Within(kReadinessTimeout);
    const auto state_of = [](std::string address, const Status& status) {
      return serve::console::SystemState{
          .address = std::move(address),
          .failure = status.ok() ? std::nullopt : std::optional(status.error())};
    };
    serve::console::ServerState state{
        .version = version_,
        .started = started_,
        .now = clock_.Now(),
        .catalog_url = AdvertisedUrl(settings_.advertise, listen_, catalog_port_.load()),
        .s3_url = s3_url_};
    state.kafka =
        state_of(fmt::format("{}", fmt::join(settings_.kafka, ",")), CheckKafka(wait, stop));
    if (registry_) {
      state.registry =
          state_of(settings_.registry, CheckRegistry(deadline.Within(kReadinessTimeout), stop));
    }
    return state;
  }

  const Settings settings_;
  const std::string version_;
  const net::ListenAddress listen_;
  // Set when the catalog listens; read by its threads.
  std::atomic<std::uint16_t> catalog_port_ = 0;
  telemetry::Logger& logger_;
  const SystemClock clock_;
  const UnixMillis started_ = clock_.Now();
  telemetry::Metrics metrics_;
  kafka::Cluster cluster_;
  KafkaRecordSource records_;
  std::unique_ptr<registry::Client> registry_;
  std::unique_ptr<table::SchemaSource> schemas_;
  ThreadPool pool_;
  // Merges of small files: one at a time leaves the machine to the loads.
  ThreadPool background_;
  MemoryBudget budget_;
  table::ObjectCache cache_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<table::VirtualCatalog> catalog_;
  std::unique_ptr<table::TableInspector> inspector_;
  std::unique_ptr<serve::s3::VendedKeys> keys_;
  std::unique_ptr<KeySource> key_source_;
  std::unique_ptr<net::HttpHandler> s3_handler_;
  std::unique_ptr<net::HttpHandler> catalog_handler_;
  std::unique_ptr<net::HttpHandler> console_handler_;
  std::unique_ptr<net::HttpHandler> listener_;
  std::unique_ptr<net::HttpServer> s3_server_;
  std::unique_ptr<net::HttpServer> catalog_server_;
  std::string catalog_url_;
  std::string s3_url_;
};

}  // namespace

Result<std::unique_ptr<Server>> StartServer(const Settings& settings, std::string version,
                                            telemetry::Logger& logger) {
  FRAZIL_ASSIGN_OR_RETURN(const Addresses addresses, ParseAddresses(settings));
  auto server = std::make_unique<WiredServer>(settings, std::move(version), addresses, logger);
  FRAZIL_RETURN_IF_ERROR(server->Start(addresses));
  logger.Event(
      LogLevel::kInfo, "started",
      {{"catalog", server->catalog_url()},
       {"s3", server->s3_url()},
       {"kafka", fmt::format("{}", fmt::join(settings.kafka, ","))},
       {"topics", settings.topics.empty() ? std::string("all")
                                          : fmt::format("{}", fmt::join(settings.topics, ","))}});
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace frazil::app
