// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/route.h"

#include <gtest/gtest.h>

#include "serve/catalog/content_coding.h"
#include "serve/catalog/page.h"

namespace frazil::serve::catalog {
namespace {

Route Parsed(std::string_view path) {
  auto route = ParseRoute(path);
  EXPECT_TRUE(route.ok()) << path << ": " << route.error().ToString();
  return route.ok() ? *route : Route{};
}

TEST(RouteTest, FindsEveryPathWithAndWithoutPrefix) {
  const std::pair<std::string, RouteKind> cases[] = {
      {"namespaces", RouteKind::kNamespaces},
      {"namespaces/speed", RouteKind::kNamespace},
      {"namespaces/speed/properties", RouteKind::kNamespaceProperties},
      {"namespaces/speed/tables", RouteKind::kTables},
      {"namespaces/speed/tables/orders", RouteKind::kTable},
      {"namespaces/speed/tables/orders/credentials", RouteKind::kTableCredentials},
      {"namespaces/speed/tables/orders/metrics", RouteKind::kTableMetrics},
      {"namespaces/speed/tables/orders/plan", RouteKind::kTableExtra},
      {"namespaces/speed/tables/orders/plan/7", RouteKind::kTableExtra},
      {"namespaces/speed/tables/orders/tasks", RouteKind::kTableExtra},
      {"namespaces/speed/register", RouteKind::kRegister},
      {"namespaces/speed/views", RouteKind::kViews},
      {"namespaces/speed/views/v", RouteKind::kView},
      {"tables/rename", RouteKind::kRename},
      {"views/rename", RouteKind::kRename},
      {"transactions/commit", RouteKind::kTransaction},
  };
  for (const auto& [path, kind] : cases) {
    EXPECT_EQ(Parsed("/v1/" + path).kind, kind) << path;
    EXPECT_EQ(Parsed("/v1/" + path).prefix, std::nullopt) << path;
    EXPECT_EQ(Parsed("/v1/frazil/" + path).kind, kind) << path;
    EXPECT_EQ(Parsed("/v1/frazil/" + path).prefix, "frazil") << path;
  }
  EXPECT_EQ(Parsed("/v1/config").kind, RouteKind::kConfig);
  EXPECT_EQ(Parsed("/v1/oauth/tokens").kind, RouteKind::kOauthTokens);
  EXPECT_EQ(Parsed("/healthz").kind, RouteKind::kHealth);
  EXPECT_EQ(Parsed("/readyz").kind, RouteKind::kReady);
  EXPECT_EQ(Parsed("/metrics").kind, RouteKind::kMetrics);
}

TEST(RouteTest, ForgivesSlashesAtBothEnds) {
  EXPECT_EQ(Parsed("//v1/config").kind, RouteKind::kConfig);
  EXPECT_EQ(Parsed("/v1/config/").kind, RouteKind::kConfig);
  EXPECT_EQ(Parsed("/v1/namespaces/speed/tables/").kind, RouteKind::kTables);
}

TEST(RouteTest, DecodesNamesOnce) {
  const auto name = [](const std::string& raw) {
    return Parsed("/v1/namespaces/speed/tables/" + raw).name;
  };
  EXPECT_EQ(name("a.b.c"), "a.b.c");
  EXPECT_EQ(name("a-b_c"), "a-b_c");
  EXPECT_EQ(name("UPPER.case"), "UPPER.case");
  EXPECT_EQ(name("a%20b"), "a b");
  EXPECT_EQ(name("a+b"), "a+b");
  EXPECT_EQ(name("a%2Fb"), "a/b");
  EXPECT_EQ(name("a%2fb"), "a/b");
  EXPECT_EQ(name("a%252Fb"), "a%2Fb");
  EXPECT_EQ(name("%C3%A9"), "\xc3\xa9");
}

TEST(RouteTest, PartsNamespaceLevelsByUnitSeparator) {
  EXPECT_EQ(Parsed("/v1/namespaces/speed%1Forders/tables/files").namespace_levels,
            (std::vector<std::string>{"speed", "orders"}));
  EXPECT_EQ(Parsed("/v1/namespaces/a.b").namespace_levels, (std::vector<std::string>{"a.b"}));
  EXPECT_EQ(Parsed("/v1/namespaces/%1f").namespace_levels, (std::vector<std::string>{"", ""}));
}

TEST(RouteTest, RefusesWhatIsNoRoute) {
  for (const char* path :
       {"", "/", "/v1", "/v2/config", "/v1/frazil", "/v1/namespaces//tables", "/v1/config/x",
        "/v1/namespaces/speed/other", "/v1/namespaces/speed/tables/t/plan/1/2",
        "/v1/namespaces/speed/tables/t/credentials/x", "/v1/a/b/namespaces", "/healthz/x",
        "/v1/namespaces/a/b/c/d/e/f/g/h/i/j/k", "/v1//namespaces"}) {
    const auto route = ParseRoute(path);
    ASSERT_FALSE(route.ok()) << path;
    EXPECT_EQ(route.error().code(), ErrorCode::kNotFound) << path;
  }
  for (const char* path : {"/v1/namespaces/%", "/v1/namespaces/%4", "/v1/namespaces/%zz",
                           "/v1/namespaces/%ff", "/v1/namespaces/%C3"}) {
    const auto route = ParseRoute(path);
    ASSERT_FALSE(route.ok()) << path;
    EXPECT_EQ(route.error().code(), ErrorCode::kMalformedRequest) << path;
  }
}

TEST(RouteTest, SaysThatTheUrlMustNotEndWithTheVersion) {
  const auto route = ParseRoute("/v1/v1/config");
  ASSERT_FALSE(route.ok());
  EXPECT_NE(route.error().message().find("without /v1"), std::string::npos);
}

TEST(RouteTest, KnowsWhichMethodsAPathTakes) {
  EXPECT_TRUE(AllowsMethod(RouteKind::kTable, "GET"));
  EXPECT_TRUE(AllowsMethod(RouteKind::kTable, "HEAD"));
  EXPECT_TRUE(AllowsMethod(RouteKind::kTable, "DELETE"));
  EXPECT_FALSE(AllowsMethod(RouteKind::kTable, "PUT"));
  EXPECT_FALSE(AllowsMethod(RouteKind::kTable, ""));
  EXPECT_FALSE(AllowsMethod(RouteKind::kTable, "GET, HEAD"));
  EXPECT_FALSE(AllowsMethod(RouteKind::kOauthTokens, "GET"));
}

TEST(PageTest, GivesEverythingUnlessAPageIsAskedFor) {
  const std::vector<std::string> names = {"a", "b", "c"};
  for (const QueryParameters& query :
       {QueryParameters{}, QueryParameters{{"pageSize", "1"}}, QueryParameters{{"pageToken", ""}},
        QueryParameters{{"pageToken", ""}, {"pageSize", "3"}},
        QueryParameters{{"pageToken", ""}, {"pageSize", "9"}}}) {
    const auto page = PageOf(names, query);
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->names, names);
    EXPECT_EQ(page->next_token, std::nullopt);
  }
}

TEST(PageTest, PagesOfEverySizeAddUpToTheList) {
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'k'; ++c) names.emplace_back(1, c);
  for (std::size_t size = 1; size <= names.size() + 1; ++size) {
    std::vector<std::string> seen;
    std::optional<std::string> token = "";
    while (token) {
      const auto page = PageOf(names, {{"pageToken", *token}, {"pageSize", std::to_string(size)}});
      ASSERT_TRUE(page.ok());
      ASSERT_LE(page->names.size(), size);
      seen.insert(seen.end(), page->names.begin(), page->names.end());
      token = page->next_token;
    }
    EXPECT_EQ(seen, names) << size;
  }
}

TEST(PageTest, KeepsItsPlaceWhenTheNameOfTheTokenIsGone) {
  const auto first = PageOf({"a", "b", "c"}, {{"pageToken", ""}, {"pageSize", "2"}});
  ASSERT_TRUE(first.ok());
  const auto second = PageOf({"a", "c", "d"}, {{"pageToken", *first->next_token}});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->names, (std::vector<std::string>{"c", "d"}));
}

TEST(PageTest, RefusesBrokenParameters) {
  for (const char* size : {"0", "-1", "x", "1x", " 1", "99999999999999999999"}) {
    const auto page = PageOf({"a"}, {{"pageToken", ""}, {"pageSize", size}});
    ASSERT_FALSE(page.ok()) << size;
    EXPECT_EQ(page.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(PageOf({"a"}, {{"pageToken", "xyz"}}).ok());
}

TEST(ContentCodingTest, TakesGzipOnlyWhereAsked) {
  for (const char* accepted :
       {"gzip", "GZIP", "deflate, gzip", "gzip;q=0.5", "*", "br;q=1.0, *;q=0.1", "gzip ; q=1",
        "x-gzip", "identity;q=0, gzip;q=0.001"}) {
    EXPECT_TRUE(AcceptsGzip(accepted)) << accepted;
  }
  for (const char* refused : {"", "identity", "deflate", "gzip;q=0", "gzip; q=0.000", "*;q=0",
                              "gzip;q=0, *", ",,", ";q=1"}) {
    EXPECT_FALSE(AcceptsGzip(refused)) << refused;
  }
}

TEST(ContentCodingTest, CompressesToTheSameBytesWithoutATime) {
  const std::string text(5000, 'a');
  const auto compressed = Gzip(text);
  ASSERT_TRUE(compressed);
  EXPECT_LT(compressed->size(), 200U);
  EXPECT_EQ(compressed->substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
  EXPECT_EQ(Gzip(text), compressed);
}

}  // namespace
}  // namespace frazil::serve::catalog
