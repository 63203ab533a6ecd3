// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics.h"

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "base/check.h"

namespace frazil::telemetry {
namespace {

using AnySeries = std::variant<prometheus::Counter*, prometheus::Gauge*, prometheus::Histogram*>;

// The series of one row; the last label's value changes fastest.
struct RowSeries {
  const MetricRow* row = nullptr;
  std::vector<AnySeries> series;
};

std::size_t CombinationCount(const MetricRow& row) {
  std::size_t count = 1;
  for (const MetricLabel& label : row.labels) count *= label.values.size();
  return count;
}

prometheus::Labels LabelsOf(const MetricRow& row, std::size_t combination) {
  prometheus::Labels labels;
  for (std::size_t i = row.labels.size(); i-- > 0;) {
    const MetricLabel& label = row.labels[i];
    labels.emplace(label.name, label.values[combination % label.values.size()]);
    combination /= label.values.size();
  }
  return labels;
}

template <typename Builder, typename... Extra>
void AddAll(Builder builder, prometheus::Registry& registry, RowSeries& to, const Extra&... extra) {
  auto& family = builder.Name(std::string(to.row->name))
                     .Help(std::string(to.row->description))
                     .Register(registry);
  const std::size_t count = CombinationCount(*to.row);
  for (std::size_t i = 0; i < count; ++i) {
    to.series.emplace_back(&family.Add(LabelsOf(*to.row, i), extra...));
  }
}

}  // namespace

struct Metrics::Series {
  prometheus::Registry registry;
  std::vector<RowSeries> rows;

  void Fill();
  template <typename Kind>
  Kind& Find(Metric metric, LabelValues labels) const;
};

void Metrics::Series::Fill() {
  rows.reserve(MetricTable().size());
  for (const MetricRow& row : MetricTable()) {
    RowSeries& to = rows.emplace_back(RowSeries{&row, {}});
    switch (row.type) {
      case MetricType::kCounter:
        AddAll(prometheus::BuildCounter(), registry, to);
        break;
      case MetricType::kGauge:
        AddAll(prometheus::BuildGauge(), registry, to);
        break;
      case MetricType::kHistogram:
        AddAll(prometheus::BuildHistogram(), registry, to,
               prometheus::Histogram::BucketBoundaries(row.buckets.begin(), row.buckets.end()));
        break;
    }
  }
}

template <typename Kind>
Kind& Metrics::Series::Find(Metric metric, LabelValues labels) const {
  const RowSeries& found = rows[static_cast<std::size_t>(metric)];
  FRAZIL_CHECK(labels.size() == found.row->labels.size());
  std::size_t combination = 0;
  const MetricLabel* label = found.row->labels.data();
  for (const std::string_view value : labels) {
    const auto place = std::find(label->values.begin(), label->values.end(), value);
    FRAZIL_CHECK(place != label->values.end());
    combination = combination * label->values.size() +
                  static_cast<std::size_t>(place - label->values.begin());
    ++label;
  }
  Kind* const* const series = std::get_if<Kind*>(&found.series[combination]);
  FRAZIL_CHECK(series != nullptr);
  return **series;
}

Metrics::Metrics() : series_(std::make_unique<Series>()) { series_->Fill(); }

Metrics::~Metrics() = default;

void Metrics::Increment(Metric metric, LabelValues labels, double by) {
  FRAZIL_CHECK(by >= 0);
  series_->Find<prometheus::Counter>(metric, labels).Increment(by);
}

void Metrics::Set(Metric metric, double value, LabelValues labels) {
  series_->Find<prometheus::Gauge>(metric, labels).Set(value);
}

void Metrics::Add(Metric metric, double by, LabelValues labels) {
  series_->Find<prometheus::Gauge>(metric, labels).Increment(by);
}

void Metrics::Observe(Metric metric, double value, LabelValues labels) {
  series_->Find<prometheus::Histogram>(metric, labels).Observe(value);
}

std::string Metrics::Expose() const {
  return prometheus::TextSerializer().Serialize(series_->registry.Collect());
}

}  // namespace frazil::telemetry
