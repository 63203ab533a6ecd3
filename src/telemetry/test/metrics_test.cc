// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frazil::telemetry {
namespace {

using testing::HasSubstr;

TEST(MetricsTest, EverySeriesIsPresentFromTheStart) {
  const std::string text = Metrics().Expose();
  for (const MetricRow& row : MetricTable()) {
    EXPECT_THAT(text, HasSubstr("# TYPE " + std::string(row.name) + " "));
    EXPECT_THAT(text, HasSubstr("# HELP " + std::string(row.name) + " "));
  }
  EXPECT_THAT(text, HasSubstr("frazil_http_requests_total{endpoint=\"s3\",status=\"5xx\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("frazil_table_loads_total{outcome=\"not_modified\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("frazil_kafka_retries_total 0\n"));
  EXPECT_THAT(text,
              HasSubstr("frazil_http_request_seconds_bucket{endpoint=\"s3\",le=\"0.0025\"} 0\n"));
}

TEST(MetricsTest, EachOperationReachesTheSeriesOfItsLabels) {
  Metrics metrics;
  metrics.Increment(Metric::kKafkaRequestsTotal, {"fetch", "error"});
  metrics.Increment(Metric::kKafkaRequestsTotal, {"fetch", "error"}, 2);
  metrics.Increment(Metric::kKafkaRequestsTotal, {"metadata", "ok"});
  metrics.Set(Metric::kObjectCacheBytes, 1024);
  metrics.Add(Metric::kHttpConnections, 3, {"catalog"});
  metrics.Add(Metric::kHttpConnections, -1, {"catalog"});
  metrics.Observe(Metric::kTableLoadSeconds, 0.02);
  const std::string text = metrics.Expose();
  EXPECT_THAT(text, HasSubstr("frazil_kafka_requests_total{api=\"fetch\",outcome=\"error\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("frazil_kafka_requests_total{api=\"metadata\",outcome=\"ok\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("frazil_kafka_requests_total{api=\"metadata\",outcome=\"error\"} 0"));
  EXPECT_THAT(text, HasSubstr("frazil_object_cache_bytes 1024\n"));
  EXPECT_THAT(text, HasSubstr("frazil_http_connections{endpoint=\"catalog\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("frazil_table_load_seconds_bucket{le=\"0.01\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("frazil_table_load_seconds_bucket{le=\"0.025\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("frazil_table_load_seconds_count 1\n"));
}

TEST(MetricsTest, TwoProcessesExposeTheSameBytes) {
  EXPECT_EQ(Metrics().Expose(), Metrics().Expose());
}

TEST(MetricsDeathTest, ALabelValueOutsideTheClosedSetEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Metrics metrics;
  EXPECT_DEATH(metrics.Increment(Metric::kKafkaRequestsTotal, {"fetch", "maybe"}), "invariant");
  EXPECT_DEATH(metrics.Increment(Metric::kKafkaRequestsTotal, {"fetch"}), "invariant");
  EXPECT_DEATH(metrics.Increment(Metric::kKafkaRetriesTotal, {"x"}), "invariant");
}

TEST(MetricsDeathTest, AnOperationOfAnotherTypeEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Metrics metrics;
  EXPECT_DEATH(metrics.Increment(Metric::kTopicsStale), "invariant");
  EXPECT_DEATH(metrics.Set(Metric::kKafkaRetriesTotal, 1), "invariant");
  EXPECT_DEATH(metrics.Increment(Metric::kKafkaRetriesTotal, {}, -1), "invariant");
}

TEST(MetricsTest, ConcurrentIncrementsAreAllCounted) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) metrics.Increment(Metric::kKafkaRetriesTotal);
      });
    }
  }
  EXPECT_THAT(metrics.Expose(), HasSubstr("frazil_kafka_retries_total 4000\n"));
}

}  // namespace
}  // namespace frazil::telemetry
