// SPDX-License-Identifier: Apache-2.0
#include "iceberg/rest.h"

#include <gtest/gtest.h>

namespace frazil::iceberg {
namespace {

TEST(RestBodies, TakeTypeAndStatusOfAnErrorFromItsRow) {
  EXPECT_EQ(ErrorBody(Error(ErrorCode::kTableNotFound, "no \"table\"\n")),
            R"({"error":{"message":"no \"table\"\n","type":"NoSuchTableException","code":404}})");
  // Messages may quote what a client sent.
  EXPECT_EQ(ErrorBody(Error(ErrorCode::kConflict, "\xFF")),
            "{\"error\":{\"message\":\"\xEF\xBF\xBD\",\"type\":\"CommitFailedException\","
            "\"code\":409}}");
}

TEST(RestBodies, ConfigAlwaysHasBothObjects) {
  EXPECT_EQ(ConfigBody({}, {{"prefix", "speed"}}, {"GET /v1/{prefix}/namespaces"}),
            R"({"defaults":{},"overrides":{"prefix":"speed"},)"
            R"("endpoints":["GET /v1/{prefix}/namespaces"]})");
  EXPECT_EQ(ConfigBody({}, {}, {}), R"({"defaults":{},"overrides":{},"endpoints":[]})");
}

TEST(RestBodies, ListsEndWithoutAPageToken) {
  EXPECT_EQ(ListNamespacesBody({{"a"}, {"a", "b"}}, "next"),
            R"({"namespaces":[["a"],["a","b"]],"next-page-token":"next"})");
  EXPECT_EQ(ListNamespacesBody({}, std::nullopt), R"({"namespaces":[]})");
  EXPECT_EQ(ListTablesBody({"a"}, {"t", "u"}, "next"),
            R"({"identifiers":[{"namespace":["a"],"name":"t"},{"namespace":["a"],"name":"u"}],)"
            R"("next-page-token":"next"})");
  EXPECT_EQ(ListTablesBody({"a"}, {}, std::nullopt), R"({"identifiers":[]})");
}

TEST(RestBodies, NamespaceShowsItsProperties) {
  EXPECT_EQ(NamespaceBody({"a", "b"}, {{"k", "v"}}),
            R"({"namespace":["a","b"],"properties":{"k":"v"}})");
  EXPECT_EQ(NamespaceBody({"a"}, {}), R"({"namespace":["a"],"properties":{}})");
}

TEST(RestBodies, LoadTablePutsTheMetadataInAsItIs) {
  EXPECT_EQ(LoadTableBody("s3://b/\"q\".json", R"({ "x" : 1 })", {{"c", "d"}},
                          {{.prefix = "s3://b/t/", .config = {{"k", "v"}}}}),
            R"({"metadata-location":"s3://b/\"q\".json","metadata":{ "x" : 1 },)"
            R"("config":{"c":"d"},)"
            R"("storage-credentials":[{"prefix":"s3://b/t/","config":{"k":"v"}}]})");
  EXPECT_EQ(LoadTableBody("l", "{}", {}, {}),
            R"({"metadata-location":"l","metadata":{},"config":{},"storage-credentials":[]})");
}

TEST(RestBodies, CredentialsStandInOneList) {
  EXPECT_EQ(CredentialsBody({{.prefix = "s3://a/", .config = {}}}),
            R"({"storage-credentials":[{"prefix":"s3://a/","config":{}}]})");
  EXPECT_EQ(CredentialsBody({}), R"({"storage-credentials":[]})");
}

}  // namespace
}  // namespace frazil::iceberg
