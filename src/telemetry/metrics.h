// SPDX-License-Identifier: Apache-2.0
// The process's metrics: one series for each row of definitions/metrics.toml and each combination
// of its labels' values, all present from the start.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "telemetry/metrics.gen.h"

namespace frazil::telemetry {

// Label values, in the order of the row's labels; each out of the row's closed set.
using LabelValues = std::initializer_list<std::string_view>;

// Threads: every member may be called from any thread.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Requires: the metric has this type, and these label values exist.
  void Increment(Metric metric, LabelValues labels = {}, double by = 1);  // counter
  void Set(Metric metric, double value, LabelValues labels = {});         // gauge
  void Add(Metric metric, double by, LabelValues labels = {});            // gauge
  void Observe(Metric metric, double value, LabelValues labels = {});     // histogram

  // Prometheus text exposition format 0.0.4.
  std::string Expose() const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace frazil::telemetry
