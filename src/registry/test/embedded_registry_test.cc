// SPDX-License-Identifier: Apache-2.0
#include "registry/embedded_registry.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "registry/registry_answers_internal.h"
#include "registry/registry_client.h"

namespace frazil::registry {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kOrder =
    R"({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]})";
constexpr const char* kOrderSmall =
    R"({"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]})";
constexpr const char* kOrderTwo =
    R"({"type":"record","name":"Order","fields":[{"name":"id","type":"long"},)"
    R"({"name":"note","type":["null","string"],"default":null}]})";

class EmbeddedRegistryTest : public testing::Test {
 protected:
  struct Answer {
    int status;
    Json body;
    int code() const { return body.value("error_code", 0); }
  };

  Answer Call(const std::string& method, const std::string& target, const std::string& body = "") {
    net::HttpRequest request;
    request.method = method;
    request.raw_path = target.substr(0, target.find('?'));
    if (target.find('?') != std::string::npos) {
      request.raw_query = target.substr(target.find('?') + 1);
    }
    request.body = body;
    const net::RequestContext context{
        .stop = {}, .deadline = Deadline::After(std::chrono::seconds(5)), .peer = ""};
    const net::HttpResponse response = registry_->Handle(request, context);
    return {response.status, Json::parse(response.body)};
  }
  Answer Get(const std::string& target) { return Call("GET", target); }
  Answer Post(const std::string& target, const Json& body) {
    return Call("POST", target, body.dump());
  }
  Answer Register(const std::string& subject, const std::string& schema) {
    return Post("/subjects/" + subject + "/versions", {{"schema", schema}});
  }

  std::unique_ptr<net::HttpHandler> registry_ = MakeEmbeddedRegistry();
};

TEST_F(EmbeddedRegistryTest, ATextHasOneIdWhicheverSubjectsHaveIt) {
  const auto first = Register("orders-value", kOrder);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(Register("orders-value", kOrderSmall).body["id"], first.body["id"]);
  EXPECT_EQ(Register("copies-value", kOrderSmall).body["id"], first.body["id"]);
  EXPECT_NE(Register("orders-value", kOrderTwo).body["id"], first.body["id"]);
  EXPECT_EQ(Get("/subjects/orders-value/versions").body, Json({1, 2}));
  EXPECT_EQ(Get("/subjects").body, Json({"copies-value", "orders-value"}));
  EXPECT_EQ(Get("/subjects?subjectPrefix=ord").body, Json({"orders-value"}));
}

TEST_F(EmbeddedRegistryTest, OrderOfKeysDoesNotMakeAnotherSchema) {
  const auto first = Register("a", R"({"type":"fixed","name":"F","size":2})");
  EXPECT_EQ(Register("b", R"({"name":"F","size":2,"type":"fixed"})").body["id"], first.body["id"]);
}

TEST_F(EmbeddedRegistryTest, AVersionIsFoundByNumberAndAsTheLatest) {
  Register("s", kOrder);
  Register("s", kOrderTwo);
  const auto first = Get("/subjects/s/versions/1");
  EXPECT_EQ(first.body,
            (Json{{"subject", "s"}, {"version", 1}, {"id", 1}, {"schema", kOrderSmall}}));
  EXPECT_EQ(Get("/subjects/s/versions/latest").body["version"], 2);
  EXPECT_EQ(Get("/subjects/s/versions/1/schema").body, Json::parse(kOrder));
  EXPECT_EQ(Get("/schemas/ids/2").body, (Json{{"schema", kOrderTwo}}));
  EXPECT_EQ(Get("/schemas/ids/2/versions").body, Json({{{"subject", "s"}, {"version", 2}}}));
}

TEST_F(EmbeddedRegistryTest, WhatIsNotThereHasConfluentsErrorCodes) {
  Register("s", kOrder);
  EXPECT_EQ(Get("/subjects/none/versions").code(), 40401);
  EXPECT_EQ(Get("/subjects/none/versions").status, 404);
  EXPECT_EQ(Get("/subjects/s/versions/2").code(), 40402);
  EXPECT_EQ(Get("/subjects/s/versions/0").code(), 42202);
  EXPECT_EQ(Get("/subjects/s/versions/first").code(), 42202);
  EXPECT_EQ(Get("/schemas/ids/2").code(), 40403);
  EXPECT_EQ(Get("/schemas/ids/x").code(), 40403);
  EXPECT_EQ(Post("/subjects/none", {{"schema", kOrder}}).code(), 40401);
  EXPECT_EQ(Post("/subjects/s", {{"schema", kOrderTwo}}).code(), 40403);
  EXPECT_EQ(Get("/nothing").code(), 404);
  EXPECT_EQ(Call("PUT", "/subjects").code(), 405);
}

TEST_F(EmbeddedRegistryTest, ASchemaThatCannotBeReadIsRefused) {
  for (const char* schema : {"{", R"({"type":"none"})", R"({"type":"record","name":"R"})", ""}) {
    EXPECT_EQ(Register("s", schema).code(), 42201) << schema;
  }
  EXPECT_EQ(Register("s", "{").status, 422);
  EXPECT_EQ(Call("POST", "/subjects/s/versions", "no json").status, 422);
  EXPECT_EQ(Call("POST", "/subjects/s/versions", "[]").status, 422);
  EXPECT_EQ(Post("/subjects/s/versions", {{"schema", "x"}, {"schemaType", "PROTOBUF"}}).code(),
            42201);
  EXPECT_EQ(Get("/subjects").body, Json::array());
}

TEST_F(EmbeddedRegistryTest, ALookUpFindsTheVersion) {
  Register("s", kOrder);
  Register("s", kOrderTwo);
  const auto found = Post("/subjects/s", {{"schema", kOrder}});
  EXPECT_EQ(found.body["version"], 1);
  EXPECT_EQ(found.body["id"], 1);
}

TEST_F(EmbeddedRegistryTest, ReferencesAreResolvedAndKept) {
  Register("money", R"({"type":"fixed","name":"shop.Money","size":8})");
  const Json reference = {{"name", "shop.Money"}, {"subject", "money"}, {"version", 1}};
  const Json schema = {
      {"schema", R"({"type":"record","name":"P","fields":[{"name":"m","type":"shop.Money"}]})"},
      {"references", {reference}}};
  const auto made = Post("/subjects/p/versions", schema);
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(Get("/schemas/ids/2").body["references"], Json({reference}));
  Json broken = schema;
  broken["references"][0]["version"] = 2;
  EXPECT_EQ(Post("/subjects/p/versions", broken).code(), 42201);
  EXPECT_EQ(Call("DELETE", "/subjects/money/versions/1").code(), 42206);
  EXPECT_EQ(Call("DELETE", "/subjects/money").code(), 42206);
}

TEST_F(EmbeddedRegistryTest, DeletionIsFirstSoftThenPermanent) {
  Register("s", kOrder);
  Register("s", kOrderTwo);
  EXPECT_EQ(Call("DELETE", "/subjects/s/versions/1?permanent=true").code(), 40407);
  EXPECT_EQ(Call("DELETE", "/subjects/s/versions/1").body, Json(1));
  EXPECT_EQ(Call("DELETE", "/subjects/s/versions/1").code(), 40406);
  EXPECT_EQ(Get("/subjects/s/versions").body, Json({2}));
  EXPECT_EQ(Get("/subjects/s/versions?deleted=true").body, Json({1, 2}));
  EXPECT_EQ(Get("/subjects/s/versions/1").code(), 40402);
  // Records with its id may still be there.
  EXPECT_EQ(Get("/schemas/ids/1").status, 200);
  EXPECT_EQ(Call("DELETE", "/subjects/s/versions/1?permanent=true").body, Json(1));
  EXPECT_EQ(Call("DELETE", "/subjects/s?permanent=true").code(), 40405);
  EXPECT_EQ(Call("DELETE", "/subjects/s").body, Json({2}));
  EXPECT_EQ(Call("DELETE", "/subjects/s").code(), 40404);
  EXPECT_EQ(Get("/subjects").body, Json::array());
  EXPECT_EQ(Get("/subjects?deleted=true").body, Json({"s"}));
  EXPECT_EQ(Register("s", kOrder).body["id"], 1);
  EXPECT_EQ(Get("/subjects/s/versions").body, Json({3}));
  Call("DELETE", "/subjects/s");
  EXPECT_EQ(Call("DELETE", "/subjects/s?permanent=true").body, Json({2, 3}));
  EXPECT_EQ(Get("/subjects?deleted=true").body, Json::array());
}

TEST_F(EmbeddedRegistryTest, TheOnlyLevelIsNoneAndOthersAreRefused) {
  EXPECT_EQ(Get("/config").body, (Json{{"compatibilityLevel", "NONE"}}));
  EXPECT_EQ(Get("/config/s").body["compatibilityLevel"], "NONE");
  EXPECT_EQ(Call("PUT", "/config/s", R"({"compatibility":"NONE"})").status, 200);
  const auto refused = Call("PUT", "/config", R"({"compatibility":"BACKWARD"})");
  EXPECT_EQ(refused.code(), 42203);
  EXPECT_THAT(refused.body["message"].get<std::string>(), HasSubstr("NONE"));
  EXPECT_EQ(Get("/mode").body, (Json{{"mode", "READWRITE"}}));
  EXPECT_EQ(Call("PUT", "/mode", R"({"mode":"IMPORT"})").code(), 42204);
  Register("s", kOrder);
  EXPECT_EQ(Post("/compatibility/subjects/s/versions/latest", {{"schema", kOrderTwo}}).body,
            (Json{{"is_compatible", true}}));
  EXPECT_EQ(Post("/compatibility/subjects/s/versions/9", {{"schema", kOrderTwo}}).code(), 40402);
}

TEST_F(EmbeddedRegistryTest, SubjectsMayHaveAnyName) {
  Register("a%2Fb%20c", kOrder);
  EXPECT_EQ(Get("/subjects").body, Json({"a/b c"}));
  EXPECT_EQ(Get("/subjects/a%2Fb%20c/versions").body, Json({1}));
  EXPECT_EQ(Get("/subjects/%zz/versions").status, 400);
  EXPECT_EQ(Get("/subjects/%ff/versions").status, 400);
}

TEST_F(EmbeddedRegistryTest, WhatDoesNotFitIsRefused) {
  registry_ = MakeEmbeddedRegistry({.schema_bytes = 100, .most_subjects = 1, .most_versions = 2});
  EXPECT_EQ(Register("s", kOrderTwo).code(), 42201);
  EXPECT_EQ(Register("s", R"("int")").status, 200);
  EXPECT_EQ(Register("t", R"("int")").code(), 50001);
  EXPECT_EQ(Register("s", R"("long")").status, 200);
  EXPECT_EQ(Register("s", R"("string")").code(), 50001);
}

// The registry behind the client that Frazil reads registries with.
class Loopback final : public net::HttpClient {
 public:
  explicit Loopback(net::HttpHandler& handler) : handler_(handler) {}
  Result<net::HttpResponse> Send(const net::HttpRequest& request, Deadline deadline,
                                 const std::stop_token& stop) override {
    return handler_.Handle(request, {.stop = stop, .deadline = deadline, .peer = ""});
  }

 private:
  net::HttpHandler& handler_;
};

TEST_F(EmbeddedRegistryTest, TheClientReadsItsAnswers) {
  Register("orders-value", kOrder);
  Register("orders-value", kOrderTwo);
  telemetry::Metrics metrics;
  const auto client = MakeClient(std::make_unique<Loopback>(*registry_), "http://here", metrics);
  const Deadline soon = Deadline::After(std::chrono::seconds(5));
  const auto versions = client->Versions("orders-value", soon, {});
  ASSERT_TRUE(versions.ok()) << versions.error().message();
  ASSERT_EQ(versions->size(), 2U);
  EXPECT_EQ((*versions)[1].schema.text, kOrderTwo);
  EXPECT_EQ((*versions)[1].schema.id.value(), 2);
  EXPECT_EQ(client->ById(WriterSchemaId(1), soon, {})->text, kOrderSmall);
  EXPECT_EQ(client->Versions("none", soon, {}).error().code(), ErrorCode::kSchemaNotFound);
  EXPECT_EQ(client->ById(WriterSchemaId(9), soon, {}).error().code(), ErrorCode::kSchemaNotFound);
}

}  // namespace
}  // namespace frazil::registry
