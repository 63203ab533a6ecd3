// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/catalog_handler.h"

#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "serve/test/fake_table_catalog.h"

namespace frazil::serve::catalog {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr std::int64_t kHugeId = 9223372036854775807;

class FakeCredentials final : public CredentialSource {
 public:
  VendedCredential Vend(const Uuid& table_uuid, const std::string& location) const override {
    vended_for = table_uuid;
    vended_below = location;
    return {"KEY", "SECRET", "TOKEN", expires};
  }
  UnixMillis expires{1800000000000};
  mutable Uuid vended_for;
  mutable std::string vended_below;
};

class CatalogHandlerTest : public testing::Test {
 protected:
  CatalogHandlerTest() {
    uuid_ = Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1").value();
    tables_.AddTable("orders", uuid_, R"({"snapshot-id":)" + std::to_string(kHugeId) + "}");
    tables_.AddTable("a.b.c", Uuid{});
    tables_.AddTable("UPPER.case", Uuid{});
  }

  net::HttpResponse Send(const std::string& method, const std::string& target,
                         net::HttpHeaders headers = {}, const std::string& body = "") {
    net::HttpRequest request;
    request.method = method;
    const auto mark = target.find('?');
    request.raw_path = target.substr(0, mark);
    if (mark != std::string::npos) request.raw_query = target.substr(mark + 1);
    request.headers = std::move(headers);
    request.body = body;
    const net::RequestContext context{{}, Deadline::After(std::chrono::seconds(5)), "test:1"};
    return handler_->Handle(request, context);
  }

  // The JSON of an answer that must have this status.
  json Get(const std::string& target, int status = 200, net::HttpHeaders headers = {}) {
    const auto response = Send("GET", target, std::move(headers));
    EXPECT_EQ(response.status, status) << target << " " << response.body;
    EXPECT_EQ(net::FindHeader(response.headers, "Content-Type"), "application/json");
    return json::parse(response.body, nullptr, false);
  }

  void ExpectError(const net::HttpResponse& response, int status, const std::string& type,
                   const std::string& words) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(net::FindHeader(response.headers, "Content-Type"), "application/json");
    const json body = json::parse(response.body, nullptr, false);
    ASSERT_TRUE(body.contains("error")) << response.body;
    EXPECT_EQ(body["error"]["type"], type);
    EXPECT_EQ(body["error"]["code"], status);
    EXPECT_THAT(body["error"]["message"].get<std::string>(), HasSubstr(words));
  }

  static std::string Tag(const net::HttpResponse& response) {
    for (const auto& header : response.headers) {
      // Java finds it by this spelling only.
      if (header.name == "ETag") return header.value;
    }
    return "";
  }

  Uuid uuid_;
  FakeTableCatalog tables_;
  FakeCredentials credentials_;
  Status readiness_;
  std::vector<std::string> log_;
  std::unique_ptr<telemetry::Logger> logger_ =
      telemetry::MakeLogger(telemetry::LogLevel::kInfo, telemetry::LogFormat::kJson,
                            [this](std::string_view line) { log_.emplace_back(line); });
  telemetry::Metrics metrics_;
  CatalogOptions options_{"http://127.0.0.1:8182/", "us-east-1", "frazil"};
  std::unique_ptr<net::HttpHandler> handler_ = MakeCatalogHandler(
      options_, tables_, credentials_, [this]() { return readiness_; }, *logger_, metrics_);
};

TEST_F(CatalogHandlerTest, ConfigNamesThePrefixAndOnlyWhatIsOffered) {
  for (const char* target :
       {"/v1/config", "/v1/config?warehouse=", "/v1/config?warehouse=frazil", "//v1/config/"}) {
    const json body = Get(target);
    EXPECT_EQ(body["defaults"], json::object());
    EXPECT_EQ(body["overrides"], (json{{"prefix", "frazil"}}));
    EXPECT_EQ(body["endpoints"].size(), 7U);
    for (const auto& endpoint : body["endpoints"]) {
      const auto text = endpoint.get<std::string>();
      EXPECT_TRUE(text.starts_with("GET /v1/{prefix}/") || text.starts_with("HEAD /v1/{prefix}/"));
    }
  }
}

TEST_F(CatalogHandlerTest, UnknownWarehouseIsAnErrorAndNeverAnEmptyCatalog) {
  for (const char* target :
       {"/v1/config?warehouse=steady", "/v1/config?warehouse=a%2Fb", "/v1/other/namespaces",
        "/v1/x%7Cy/namespaces/speed/tables", "/v1/a%2Fb/namespaces"}) {
    ExpectError(Send("GET", target), 404, "NoSuchWarehouseException", "frazil");
  }
}

TEST_F(CatalogHandlerTest, NamespacesHonourTheParent) {
  EXPECT_EQ(Get("/v1/namespaces")["namespaces"], json::parse(R"([["speed"]])"));
  EXPECT_EQ(Get("/v1/frazil/namespaces?parent=")["namespaces"], json::parse(R"([["speed"]])"));
  EXPECT_EQ(Get("/v1/frazil/namespaces?parent=speed")["namespaces"], json::array());
  ExpectError(Send("GET", "/v1/frazil/namespaces?parent=cold"), 404, "NoSuchNamespaceException",
              "cold");
  ExpectError(Send("GET", "/v1/namespaces?parent=speed%1Forders"), 404, "NoSuchNamespaceException",
              "speed");
}

TEST_F(CatalogHandlerTest, NamespaceIsFoundOrNamedAsMissing) {
  EXPECT_EQ(Get("/v1/frazil/namespaces/speed")["namespace"], json::parse(R"(["speed"])"));
  EXPECT_EQ(Send("HEAD", "/v1/namespaces/speed").status, 204);
  ExpectError(Send("GET", "/v1/namespaces/cold"), 404, "NoSuchNamespaceException", "cold");
  const auto head = Send("HEAD", "/v1/namespaces/cold");
  EXPECT_EQ(head.status, 404);
  EXPECT_TRUE(head.body.empty());
}

TEST_F(CatalogHandlerTest, ListsTablesInPages) {
  const json all = Get("/v1/frazil/namespaces/speed/tables?pageToken=");
  EXPECT_EQ(all["identifiers"].size(), 3U);
  EXPECT_TRUE(!all.contains("next-page-token") || all["next-page-token"].is_null());
  const json first = Get("/v1/namespaces/speed/tables?pageToken=&pageSize=2");
  EXPECT_EQ(first["identifiers"], json::parse(R"([{"namespace":["speed"],"name":"UPPER.case"},
                            {"namespace":["speed"],"name":"a.b.c"}])"));
  const json second = Get("/v1/namespaces/speed/tables?pageSize=2&pageToken=" +
                          first["next-page-token"].get<std::string>());
  EXPECT_EQ(second["identifiers"], json::parse(R"([{"namespace":["speed"],"name":"orders"}])"));
  ExpectError(Send("GET", "/v1/namespaces/cold/tables"), 404, "NoSuchNamespaceException", "cold");
  ExpectError(Send("GET", "/v1/namespaces/speed/tables?pageToken=!"), 400, "BadRequestException",
              "pageToken");
}

TEST_F(CatalogHandlerTest, EveryListedNameCanBeLoadedAndOthersAreMissing) {
  const json listed = Get("/v1/namespaces/speed/tables");
  for (const auto& table : listed["identifiers"]) {
    const std::string path =
        "/v1/frazil/namespaces/speed/tables/" + table["name"].get<std::string>();
    EXPECT_EQ(Send("GET", path).status, 200) << path;
    EXPECT_EQ(Send("HEAD", path).status, 204) << path;
  }
  for (const char* name : {"Orders", "a%20b", "a+b", "a%2Fb", "a%252Fb", "%C3%A9", "orders%00"}) {
    const std::string path = std::string("/v1/namespaces/speed/tables/") + name;
    ExpectError(Send("GET", path), 404, "NoSuchTableException", "speed");
    EXPECT_EQ(Send("HEAD", path).status, 404) << path;
  }
}

TEST_F(CatalogHandlerTest, LoadTableGivesMetadataAsItIsAndEveryClientsSettings) {
  const auto response = Send("GET", "/v1/frazil/namespaces/speed/tables/orders");
  EXPECT_THAT(response.body, HasSubstr("\"snapshot-id\":9223372036854775807"));
  const json body = json::parse(response.body);
  const json settings = {{"s3.endpoint", "http://127.0.0.1:8182/"},
                         {"s3.path-style-access", "true"},
                         {"client.region", "us-east-1"},
                         {"s3.region", "us-east-1"},
                         {"s3.access-key-id", "KEY"},
                         {"s3.secret-access-key", "SECRET"},
                         {"s3.session-token", "TOKEN"},
                         {"s3.session-token-expires-at-ms", "1800000000000"},
                         {"client.refresh-credentials-endpoint",
                          "/v1/frazil/namespaces/speed/tables/orders/credentials"},
                         {"s3.request-timeout", "120"}};
  const std::string location = "s3://frazil/speed/orders/8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1";
  EXPECT_EQ(body["metadata-location"], location + "/metadata/00001-a.metadata.json");
  EXPECT_EQ(body["config"], settings);
  const json credentials = json::array({{{"prefix", location + "/"}, {"config", settings}}});
  EXPECT_EQ(body["storage-credentials"], credentials);
  EXPECT_EQ(credentials_.vended_for, uuid_);
  EXPECT_EQ(credentials_.vended_below, location);
  EXPECT_EQ(Get("/v1/namespaces/speed/tables/orders/credentials")["storage-credentials"],
            credentials);
}

// As Iceberg Java resolves it: below the catalog's address. Exactly one credential of S3, with
// keys, token and expiry, is what it takes.
TEST_F(CatalogHandlerTest, NewKeysComeFromWhereTheTableSays) {
  const json config = Get("/v1/frazil/namespaces/speed/tables/orders")["config"];
  const std::string path = config["client.refresh-credentials-endpoint"];
  credentials_.expires = credentials_.expires + 3600000;
  const auto response = Send("GET", path);
  EXPECT_EQ(response.status, 200);
  const json credentials = json::parse(response.body)["storage-credentials"];
  ASSERT_EQ(credentials.size(), 1U);
  EXPECT_TRUE(credentials[0]["prefix"].get<std::string>().starts_with("s3://frazil/speed/orders/"));
  for (const char* name : {"s3.access-key-id", "s3.secret-access-key", "s3.session-token"}) {
    EXPECT_EQ(credentials[0]["config"][name], config[name]) << name;
  }
  EXPECT_EQ(credentials[0]["config"]["s3.session-token-expires-at-ms"], "1800003600000");
  EXPECT_EQ(credentials[0]["config"]["client.refresh-credentials-endpoint"], path);
}

TEST_F(CatalogHandlerTest, TheTagChangesWithStateSelectionAndKeys) {
  const std::string path = "/v1/namespaces/speed/tables/orders";
  const auto tag = [&](const std::string& query) { return Tag(Send("GET", path + query)); };
  const std::string first = tag("");
  EXPECT_EQ(first.size(), 34U);
  EXPECT_EQ(tag("?snapshots=all"), first);
  EXPECT_NE(tag("?snapshots=refs"), first);
  EXPECT_EQ(tables_.last_selection(), table::SnapshotSelection::kReferenced);
  tables_.SetMetadataLocation("orders",
                              "s3://frazil/speed/orders/x/metadata/00002-b.metadata.json");
  const std::string second = tag("");
  EXPECT_NE(second, first);
  credentials_.expires = credentials_.expires + 3600000;
  EXPECT_NE(tag(""), second);
  ExpectError(Send("GET", path + "?snapshots=some"), 400, "BadRequestException", "some");
}

TEST_F(CatalogHandlerTest, AnUnchangedTableIsNotSentAgain) {
  const std::string path = "/v1/namespaces/speed/tables/orders";
  const std::string tag = Tag(Send("GET", path));
  const auto same = Send("GET", path, {{"If-None-Match", tag}});
  EXPECT_EQ(same.status, 304);
  EXPECT_TRUE(same.body.empty());
  EXPECT_EQ(Tag(same), tag);
  // The state was looked at again, not remembered.
  EXPECT_EQ(tables_.loads(), 2);
  EXPECT_THAT(metrics_.Expose(), HasSubstr("frazil_table_loads_total{outcome=\"not_modified\"} 1"));
  EXPECT_EQ(Send("GET", path + "?snapshots=refs", {{"If-None-Match", tag}}).status, 200);
  credentials_.expires = credentials_.expires + 3600000;
  EXPECT_EQ(Send("GET", path, {{"If-None-Match", tag}}).status, 200);
}

TEST_F(CatalogHandlerTest, MissingNamespaceOfATableIsAMissingTable) {
  for (const char* target :
       {"/v1/namespaces/cold/tables/orders", "/v1/namespaces/speed%1Forders/tables/files",
        "/v1/namespaces/speed.orders/tables/files",
        "/v1/namespaces/speed%1Forders/tables/files/credentials"}) {
    ExpectError(Send("GET", target), 404, "NoSuchTableException", "does not exist");
  }
}

TEST_F(CatalogHandlerTest, ThereAreNoViews) {
  EXPECT_EQ(Get("/v1/namespaces/speed/views")["identifiers"], json::array());
  ExpectError(Send("GET", "/v1/frazil/namespaces/speed/views/orders"), 404, "NoSuchViewException",
              "speed.orders");
  ExpectError(Send("GET", "/v1/namespaces/cold/views/v"), 404, "NoSuchViewException", "cold.v");
  EXPECT_EQ(Send("HEAD", "/v1/namespaces/speed/views/v").status, 404);
  EXPECT_EQ(tables_.loads(), 0);
}

TEST_F(CatalogHandlerTest, WritesAreRefusedWithTheReason) {
  const std::pair<const char*, const char*> writes[] = {
      {"POST", "/v1/frazil/namespaces/speed/tables"},
      {"POST", "/v1/frazil/namespaces/speed/tables/orders"},
      {"DELETE", "/v1/frazil/namespaces/speed/tables/orders?purgeRequested=true"},
      {"POST", "/v1/namespaces/speed/register"},
      {"POST", "/v1/namespaces/speed/properties"},
      {"DELETE", "/v1/namespaces/speed"},
      {"POST", "/v1/namespaces/speed/views"},
      {"DELETE", "/v1/namespaces/speed/views/v"},
  };
  for (const auto& [method, target] : writes) {
    ExpectError(Send(method, target, {}, "{}"), 403, "ForbiddenException",
                "speed is computed from Kafka and takes no writes");
  }
  ExpectError(Send("POST", "/v1/frazil/transactions/commit"), 403, "ForbiddenException",
              "takes no writes");
  ExpectError(Send("POST", "/v1/tables/rename"), 403, "ForbiddenException", "takes no writes");
  ExpectError(Send("POST", "/v1/namespaces"), 406, "UnsupportedOperationException", "namespaces");
  ExpectError(Send("POST", "/v1/namespaces/cold/tables"), 404, "NoSuchNamespaceException", "cold");
  ExpectError(Send("POST", "/v1/namespaces/cold/tables/t"), 404, "NoSuchTableException", "cold.t");
}

TEST_F(CatalogHandlerTest, UnknownPathsAndMethodsAreRefused) {
  ExpectError(Send("GET", "/v1/frazil/functions"), 404, "NotFoundException",
              "/v1/frazil/functions");
  ExpectError(Send("GET", "/v1/namespaces/%zz"), 400, "BadRequestException", "escape");
  ExpectError(Send("GET", "/v1/config?warehouse=%z"), 400, "BadRequestException", "");
  const auto put = Send("PUT", "/v1/namespaces/speed/tables/orders");
  ExpectError(put, 405, "BadRequestException", "GET, HEAD, POST, DELETE");
  EXPECT_EQ(net::FindHeader(put.headers, "Allow"), "GET, HEAD, POST, DELETE");
  ExpectError(Send("POST", "/v1/namespaces/speed/tables/orders/plan"), 406,
              "UnsupportedOperationException", "planning");
  ExpectError(Send("GET", "/v1/namespaces/speed/tables/orders/plan/1"), 406,
              "UnsupportedOperationException", "planning");
}

TEST_F(CatalogHandlerTest, TokenRequestsSayThatThereIsNoAuthentication) {
  const auto response = Send("POST", "/v1/oauth/tokens", {}, "grant_type=client_credentials");
  EXPECT_EQ(response.status, 400);
  const json body = json::parse(response.body);
  EXPECT_EQ(body["error"], "unsupported_grant_type");
  EXPECT_THAT(body["error_description"].get<std::string>(), HasSubstr("AUTHORIZATION_TYPE 'none'"));
}

TEST_F(CatalogHandlerTest, AuthorizationIsIgnored) {
  EXPECT_EQ(Send("GET", "/v1/namespaces", {{"Authorization", "Bearer x"}}).status, 200);
}

TEST_F(CatalogHandlerTest, ScanReportsAreTakenForTablesThatExist) {
  EXPECT_EQ(Send("POST", "/v1/namespaces/speed/tables/orders/metrics", {}, "{}").status, 204);
  ExpectError(Send("POST", "/v1/namespaces/speed/tables/x/metrics"), 404, "NoSuchTableException",
              "x");
}

TEST_F(CatalogHandlerTest, LargeAnswersAreCompressedOnlyWhereAsked) {
  tables_.AddTable("wide", uuid_, "{\"text\":\"" + std::string(4000, 'x') + "\"}");
  const std::string path = "/v1/namespaces/speed/tables/wide";
  const auto plain = Send("GET", path);
  EXPECT_EQ(net::FindHeader(plain.headers, "Content-Encoding"), std::nullopt);
  const auto packed = Send("GET", path, {{"Accept-Encoding", "gzip, deflate"}});
  ASSERT_EQ(net::FindHeader(packed.headers, "Content-Encoding"), "gzip");
  std::string text(plain.body.size() + 1, '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 31), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.body.data()));
  stream.avail_in = static_cast<uInt>(packed.body.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(text, plain.body);
  const auto small = Send("GET", "/v1/namespaces", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(net::FindHeader(small.headers, "Content-Encoding"), std::nullopt);
}

TEST_F(CatalogHandlerTest, HealthReadinessAndMetrics) {
  EXPECT_EQ(Send("GET", "/healthz").status, 200);
  EXPECT_EQ(Send("GET", "/readyz").status, 200);
  readiness_ = Error(ErrorCode::kKafkaUnavailable, "no broker answered at 127.0.0.1:9092");
  const auto unready = Send("GET", "/readyz");
  EXPECT_EQ(unready.status, 503);
  EXPECT_THAT(unready.body, HasSubstr("no broker answered at 127.0.0.1:9092"));
  EXPECT_EQ(Send("GET", "/healthz").status, 200);
  const auto metrics = Send("GET", "/metrics");
  EXPECT_EQ(net::FindHeader(metrics.headers, "Content-Type"), "text/plain; version=0.0.4");
  EXPECT_THAT(metrics.body, HasSubstr("frazil_table_loads_total"));
}

TEST_F(CatalogHandlerTest, EveryErrorOfTheDomainHasTheStatusAndTypeOfItsRow) {
  for (const ErrorRow& row : ErrorTable()) {
    tables_.FailWith(Error(row.code, "the cause"));
    ExpectError(Send("GET", "/v1/namespaces/speed/tables/orders"), row.http_status,
                std::string(row.iceberg_type), "the cause");
  }
}

TEST_F(CatalogHandlerTest, OnlyFaultsOfTheServersSideAreLoggedWithTheirCause) {
  tables_.FailWith(Error(ErrorCode::kTableNotFound, "none"));
  Send("GET", "/v1/namespaces/speed/tables/orders");
  EXPECT_TRUE(log_.empty());
  tables_.FailWith(Error(ErrorCode::kKafkaUnavailable, "no broker answered"));
  Send("GET", "/v1/namespaces/speed/tables/orders");
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_[0], HasSubstr("no broker answered"));
  EXPECT_THAT(log_[0], HasSubstr("kafka_unavailable"));
}

TEST_F(CatalogHandlerTest, RequestsThatTheServerRefusesGetTheSameForm) {
  ExpectError(handler_->Refuse(Error(ErrorCode::kRequestTooLarge, "too large")), 413,
              "BadRequestException", "too large");
}

}  // namespace
}  // namespace frazil::serve::catalog
