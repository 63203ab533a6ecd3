// SPDX-License-Identifier: Apache-2.0
#include "registry/registry_client.h"

#include <atomic>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutex.h"

namespace frazil::registry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A registry in memory: answers by path, and counts what it was asked.
class FakeRegistry {
 public:
  void Answer(const std::string& path, std::string body) {
    MutexLock lock(mutex_);
    answers_[path] = {200, std::move(body)};
  }
  void Refuse(const std::string& path, int status, std::string body) {
    MutexLock lock(mutex_);
    answers_[path] = {status, std::move(body)};
  }
  // The next `times` requests fail with `status`; 0: the connection breaks.
  void FailNext(int times, int status) {
    MutexLock lock(mutex_);
    failures_ = times;
    failure_status_ = status;
  }
  int Asked(const std::string& path) {
    MutexLock lock(mutex_);
    return asked_[path];
  }
  std::string accept() {
    MutexLock lock(mutex_);
    return accept_;
  }

  Result<net::HttpResponse> Handle(const net::HttpRequest& request) {
    MutexLock lock(mutex_);
    std::string path = request.raw_path;
    if (!request.raw_query.empty()) path += "?" + request.raw_query;
    ++asked_[path];
    accept_ = request.headers.front().value;
    net::HttpResponse response;
    if (failures_ > 0) {
      --failures_;
      if (failure_status_ == 0) return Error(ErrorCode::kNetwork, "connection refused");
      response.status = failure_status_;
      return response;
    }
    const auto found = answers_.find(path);
    response.status = found == answers_.end() ? 404 : found->second.first;
    response.body = found == answers_.end() ? "page not found" : found->second.second;
    return response;
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::pair<int, std::string>> answers_ FRAZIL_GUARDED_BY(mutex_);
  std::map<std::string, int> asked_ FRAZIL_GUARDED_BY(mutex_);
  int failures_ FRAZIL_GUARDED_BY(mutex_) = 0;
  int failure_status_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::string accept_ FRAZIL_GUARDED_BY(mutex_);
};

class FakeHttpClient final : public net::HttpClient {
 public:
  explicit FakeHttpClient(FakeRegistry& registry) : registry_(registry) {}
  Result<net::HttpResponse> Send(const net::HttpRequest& request, Deadline,
                                 const std::stop_token&) override {
    EXPECT_EQ(request.method, "GET");
    return registry_.Handle(request);
  }

 private:
  FakeRegistry& registry_;
};

class RegistryClientTest : public ::testing::Test {
 protected:
  RegistryClientTest() { Open({}); }

  void Open(ClientOptions options) {
    options.first_backoff = std::chrono::milliseconds(1);
    client_ = MakeClient(std::make_unique<FakeHttpClient>(registry_), "http://registry:8081",
                         metrics_, options);
  }
  Result<Schema> ById(int id) {
    return client_->ById(WriterSchemaId(id), Deadline::After(std::chrono::seconds(10)), {});
  }
  Result<std::vector<SubjectVersion>> Versions(const std::string& subject) {
    return client_->Versions(subject, Deadline::After(std::chrono::seconds(10)), {});
  }
  void ExpectError(const Error& error, ErrorCode code, const std::string& text) {
    EXPECT_EQ(error.row().name, RowOf(code).name) << error.ToString();
    EXPECT_THAT(error.message(), HasSubstr(text));
  }

  FakeRegistry registry_;
  telemetry::Metrics metrics_;
  std::unique_ptr<Client> client_;
};

constexpr const char* kUnknownId = R"({"error_code":40403,"message":"Schema not found"})";

TEST_F(RegistryClientTest, ASchemaWithoutATypeIsAvro) {
  registry_.Answer("/schemas/ids/7", R"({"schema":"\"string\""})");
  const auto schema = ById(7);
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  EXPECT_EQ(schema->id, WriterSchemaId(7));
  EXPECT_EQ(schema->format, "AVRO");
  EXPECT_EQ(schema->text, "\"string\"");
  EXPECT_TRUE(schema->references.empty());
  EXPECT_EQ(registry_.accept(), "application/vnd.schemaregistry.v1+json, application/json");
}

TEST_F(RegistryClientTest, ASchemaIsAskedForOnce) {
  registry_.Answer("/schemas/ids/7", R"({"schema":"x","schemaType":"PROTOBUF"})");
  ASSERT_TRUE(ById(7).ok());
  registry_.FailNext(1000000, 500);
  const auto again = ById(7);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->format, "PROTOBUF");
  EXPECT_EQ(registry_.Asked("/schemas/ids/7"), 1);
}

TEST_F(RegistryClientTest, TheLeastRecentlyUsedSchemaIsForgottenFirst) {
  Open({.cached_schemas = 2});
  for (const char* id : {"1", "2", "3"}) {
    registry_.Answer(std::string("/schemas/ids/") + id, R"({"schema":"x"})");
  }
  for (const int id : {1, 2, 1, 3, 1, 2}) ASSERT_TRUE(ById(id).ok());
  EXPECT_EQ(registry_.Asked("/schemas/ids/1"), 1);
  EXPECT_EQ(registry_.Asked("/schemas/ids/2"), 2);
}

TEST_F(RegistryClientTest, SchemasThatPassTheCacheInBytesAreNotKept) {
  Open({.cached_bytes = 1000});
  registry_.Answer("/schemas/ids/1", R"({"schema":")" + std::string(2000, 'x') + R"("})");
  ASSERT_TRUE(ById(1).ok());
  ASSERT_TRUE(ById(1).ok());
  EXPECT_EQ(registry_.Asked("/schemas/ids/1"), 2);
}

TEST_F(RegistryClientTest, AnUnknownIdIsBelievedForAWhileOnly) {
  Open({.missing_cache = std::chrono::milliseconds(30)});
  registry_.Refuse("/schemas/ids/9", 404, kUnknownId);
  ExpectError(ById(9).error(), ErrorCode::kSchemaNotFound, "40403");
  registry_.Answer("/schemas/ids/9", R"({"schema":"late"})");
  const auto until = Deadline::After(std::chrono::seconds(10));
  Result<Schema> schema = ById(9);
  while (!schema.ok() && !until.Expired()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    schema = ById(9);
  }
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->text, "late");
  EXPECT_EQ(registry_.Asked("/schemas/ids/9"), 2);
}

TEST_F(RegistryClientTest, AWrongBaseUrlIsNotAnUnknownSchema) {
  ExpectError(ById(9).error(), ErrorCode::kRegistryProtocol, "--registry");
  registry_.Refuse("/schemas/ids/9", 404, R"({"title":"NotFoundException","status":404})");
  ExpectError(ById(9).error(), ErrorCode::kRegistryProtocol, "http://registry:8081");
  registry_.Refuse("/schemas/ids/9", 404, R"({"error_code":404,"message":"HTTP 404 Not Found"})");
  ExpectError(ById(9).error(), ErrorCode::kRegistryProtocol, "--registry");
  ExpectError(Versions("x").error(), ErrorCode::kRegistryProtocol, "--registry");
}

TEST_F(RegistryClientTest, PassingFailuresAreRepeated) {
  registry_.Answer("/schemas/ids/7", R"({"schema":"x"})");
  for (const int status : {500, 503, 429, 408, 0}) {
    Open({});
    registry_.FailNext(3, status);
    EXPECT_TRUE(ById(7).ok()) << status;
  }
  EXPECT_THAT(metrics_.Expose(), HasSubstr("frazil_registry_requests_total{outcome=\"error\"} 15"));
  EXPECT_THAT(metrics_.Expose(), HasSubstr("frazil_registry_requests_total{outcome=\"ok\"} 5"));
}

TEST_F(RegistryClientTest, ALastingFailureEndsWithTheTimeOfOneAnswer) {
  Open({.timeout = std::chrono::milliseconds(30)});
  for (const int status : {500, 0}) {
    registry_.FailNext(1000000, status);
    ExpectError(ById(7).error(), ErrorCode::kRegistryUnavailable, "schema id 7");
    EXPECT_GT(registry_.Asked("/schemas/ids/7"), 1);
  }
}

TEST_F(RegistryClientTest, TheCallersDeadlineKeepsTheCause) {
  registry_.FailNext(1000000, 500);
  const auto schema =
      client_->ById(WriterSchemaId(7), Deadline::After(std::chrono::milliseconds(30)), {});
  ExpectError(schema.error(), ErrorCode::kRegistryUnavailable, "status 500");
}

TEST_F(RegistryClientTest, AStopEndsTheRepetitions) {
  registry_.FailNext(1000000, 500);
  std::stop_source source;
  std::jthread stopper([&] {
    while (registry_.Asked("/schemas/ids/7") < 2) std::this_thread::yield();
    source.request_stop();
  });
  const auto schema = client_->ById(WriterSchemaId(7), Deadline::After(std::chrono::seconds(60)),
                                    source.get_token());
  ExpectError(schema.error(), ErrorCode::kCancelled, "stopped");
}

TEST_F(RegistryClientTest, RefusalsAreNotRepeated) {
  const std::map<int, std::string> words{
      {401, "credentials"}, {403, "credentials"}, {422, "422"}, {301, "301"}, {204, "204"}};
  for (const auto& [status, word] : words) {
    const std::string path = "/schemas/ids/" + std::to_string(status);
    registry_.Refuse(path, status, R"({"error_code":42201,"message":"no"})");
    ExpectError(ById(status).error(), ErrorCode::kRegistryProtocol, word);
    EXPECT_EQ(registry_.Asked(path), 1);
  }
}

TEST_F(RegistryClientTest, AnswersThatAreNoneAreRefused) {
  for (const char* body :
       {"", "[]", "{}", R"({"schema":5})", R"({"schema":"x","schemaType":7})",
        R"({"schema":"x","references":{}})", R"({"schema":"x","references":[7]})",
        R"({"schema":"x","references":[{"subject":"s"}]})",
        R"({"schema":"x","references":[{"version":1}]})",
        R"({"schema":"x","references":[{"subject":"s","version":99999999999}]})"}) {
    registry_.Answer("/schemas/ids/7", body);
    ExpectError(ById(7).error(), ErrorCode::kRegistryProtocol, "cannot be read");
  }
  registry_.Answer("/schemas/ids/7", std::string(100, '[') + std::string(100, ']'));
  ExpectError(ById(7).error(), ErrorCode::kRegistryProtocol, "cannot be read");
}

TEST_F(RegistryClientTest, ASchemaOfTooManyBytesIsRefused) {
  Open({.schema_bytes = 10});
  registry_.Answer("/schemas/ids/7", R"({"schema":"12345678901"})");
  ExpectError(ById(7).error(), ErrorCode::kRegistryProtocol, "too long");
}

TEST_F(RegistryClientTest, VersionsAreAscendingAndOnlyTheListIsAskedAgain) {
  registry_.Answer("/subjects/s/versions", "[3,1]");
  registry_.Answer("/subjects/s/versions/1",
                   R"({"subject":"s","version":1,"id":11,"schema":"one"})");
  registry_.Answer("/subjects/s/versions/3",
                   R"({"subject":"s","version":3,"id":13,"guid":"g","schema":"three"})");
  for (int i = 0; i < 2; ++i) {
    const auto versions = Versions("s");
    ASSERT_TRUE(versions.ok()) << versions.error().ToString();
    ASSERT_EQ(versions->size(), 2U);
    EXPECT_EQ((*versions)[0].version, 1);
    EXPECT_EQ((*versions)[0].schema.id, WriterSchemaId(11));
    EXPECT_EQ((*versions)[1].version, 3);
    EXPECT_EQ((*versions)[1].schema.text, "three");
  }
  EXPECT_EQ(registry_.Asked("/subjects/s/versions"), 2);
  EXPECT_EQ(registry_.Asked("/subjects/s/versions/1"), 1);
}

TEST_F(RegistryClientTest, SubjectsArePercentEncoded) {
  registry_.Answer("/subjects/a%2Fb%20%3F%23%C3%A4-value/versions", "[]");
  const auto versions = Versions("a/b ?#\xc3\xa4-value");
  ASSERT_TRUE(versions.ok()) << versions.error().ToString();
  EXPECT_TRUE(versions->empty());
}

TEST_F(RegistryClientTest, AnUnknownSubjectIsNotFound) {
  registry_.Refuse("/subjects/s/versions", 404, R"({"error_code":40401,"message":"no"})");
  ExpectError(Versions("s").error(), ErrorCode::kSchemaNotFound, "subject s");
}

TEST_F(RegistryClientTest, AVersionDeletedSinceTheListIsLeftOut) {
  registry_.Answer("/subjects/s/versions", "[1,2]");
  registry_.Refuse("/subjects/s/versions/1", 404, R"({"error_code":40402,"message":"no"})");
  registry_.Answer("/subjects/s/versions/2", R"({"id":12,"schema":"two"})");
  const auto versions = Versions("s");
  ASSERT_TRUE(versions.ok());
  ASSERT_EQ(versions->size(), 1U);
  EXPECT_EQ(versions->front().version, 2);
}

TEST_F(RegistryClientTest, ANumberDeletedForGoodMayComeBackAsAnotherSchema) {
  registry_.Answer("/subjects/s/versions", "[1]");
  registry_.Answer("/subjects/s/versions/1", R"({"id":11,"schema":"old"})");
  ASSERT_TRUE(Versions("s").ok());
  registry_.Refuse("/subjects/s/versions", 404, R"({"error_code":40401,"message":"no"})");
  ASSERT_FALSE(Versions("s").ok());
  registry_.Answer("/subjects/s/versions", "[1]");
  registry_.Answer("/subjects/s/versions/1", R"({"id":21,"schema":"new"})");
  const auto versions = Versions("s");
  ASSERT_TRUE(versions.ok());
  EXPECT_EQ(versions->front().schema.text, "new");
}

TEST_F(RegistryClientTest, ListsThatAreNoneAreRefused) {
  for (const char* body : {"{}", "[0]", "[\"1\"]", "[1.5]", "[-1]", "[4294967297]", "x"}) {
    registry_.Answer("/subjects/s/versions", body);
    ExpectError(Versions("s").error(), ErrorCode::kRegistryProtocol, "cannot be read");
  }
  registry_.Answer("/subjects/s/versions", "[1]");
  registry_.Answer("/subjects/s/versions/1", R"({"schema":"no id"})");
  ExpectError(Versions("s").error(), ErrorCode::kRegistryProtocol, "no id");
}

std::string Referring(const std::string& text, const std::string& first,
                      const std::string& second = "") {
  const auto one = [](const std::string& subject) {
    return R"({"name":"n","subject":")" + subject + R"(","version":1})";
  };
  return R"({"schema":")" + text + R"(","references":[)" + one(first) +
         (second.empty() ? "" : "," + one(second)) + "]}";
}

TEST_F(RegistryClientTest, ReferencesComeEachAfterThoseThatItUses) {
  registry_.Answer("/schemas/ids/1", Referring("top", "a", "b"));
  registry_.Answer("/subjects/a/versions/1?deleted=true", Referring("A", "c"));
  registry_.Answer("/subjects/b/versions/1?deleted=true", Referring("B", "a", "c"));
  registry_.Answer("/subjects/c/versions/1?deleted=true", R"({"schema":"C"})");
  const auto schema = ById(1);
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  EXPECT_THAT(schema->references, ElementsAre("C", "A", "B"));
  EXPECT_EQ(registry_.Asked("/subjects/c/versions/1?deleted=true"), 1);
}

TEST_F(RegistryClientTest, ReferencesInACircleAreRefused) {
  registry_.Answer("/schemas/ids/1", Referring("top", "a"));
  registry_.Answer("/subjects/a/versions/1?deleted=true", Referring("A", "b"));
  registry_.Answer("/subjects/b/versions/1?deleted=true", Referring("B", "a"));
  ExpectError(ById(1).error(), ErrorCode::kRegistryProtocol, "refers to itself");
}

TEST_F(RegistryClientTest, TooManyReferencesAreRefused) {
  Open({.most_references = 20});
  registry_.Answer("/schemas/ids/1", Referring("top", "s0"));
  for (int i = 0; i < 30; ++i) {
    registry_.Answer("/subjects/s" + std::to_string(i) + "/versions/1?deleted=true",
                     Referring("x", "s" + std::to_string(i + 1)));
  }
  ExpectError(ById(1).error(), ErrorCode::kRegistryProtocol, "too many references");
}

TEST_F(RegistryClientTest, AMissingReferenceDoesNotMakeTheIdUnknown) {
  registry_.Answer("/schemas/ids/1", Referring("top", "a"));
  registry_.Refuse("/subjects/a/versions/1?deleted=true", 404,
                   R"({"error_code":40402,"message":"no"})");
  ExpectError(ById(1).error(), ErrorCode::kRegistryProtocol, "reference a");
}

TEST_F(RegistryClientTest, ServesSeveralThreads) {
  Open({.cached_schemas = 3});
  registry_.Answer("/subjects/s/versions", "[1]");
  registry_.Answer("/subjects/s/versions/1", R"({"id":1,"schema":"1"})");
  for (int id = 0; id < 6; ++id) {
    const std::string text = std::to_string(id);
    registry_.Answer("/schemas/ids/" + text, R"({"schema":")" + text + R"("})");
  }
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 300; ++i) {
          const int id = (i + thread) % 6;
          const auto schema = ById(id);
          if (!schema.ok() || schema->text != std::to_string(id)) ++wrong;
          if (i % 10 == 0 && !Versions("s").ok()) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace frazil::registry
