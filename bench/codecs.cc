// SPDX-License-Identifier: Apache-2.0
// CPU time of each step for each record, in memory, in one thread.
//   bench_codecs [--repetitions N] [--records N] [--milliseconds N]
//   bench_codecs --schema flat|nested    prints that shape's schema instead
// A repetition runs a step until it has taken `milliseconds`. Prints JSON: for each step the
// nanoseconds of every repetition.
#include <cstdint>
#include <iostream>
#include <string>
#include <time.h>

#include <nlohmann/json.hpp>

#include "bench/command_line.h"
#include "bench/sample_records.h"
#include "bench/steps.h"

namespace {

using frazil::bench::Step;

double CpuNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double NanosecondsForEachRecord(const Step& step, double at_least) {
  const double begin = CpuNanoseconds();
  double spent = 0;
  std::int64_t runs = 0;
  while (spent < at_least) {
    step.run();
    ++runs;
    spent = CpuNanoseconds() - begin;
  }
  return spent / static_cast<double>(runs * step.records);
}

}  // namespace

int main(int argc, char** argv) {
  const frazil::bench::Options options(argc, argv);
  if (const std::string shape = options.Text("schema", ""); !shape.empty()) {
    std::cout << frazil::bench::SchemaText(frazil::bench::ShapeNamed(shape)) << "\n";
    return 0;
  }
  const std::int64_t repetitions = options.Number("repetitions", 7);
  // About a row group.
  const std::int64_t records = options.Number("records", 90'000);
  const double at_least = static_cast<double>(options.Number("milliseconds", 100)) * 1e6;
  const auto steps = frazil::bench::MakeSteps(records, records / 3);
  nlohmann::json results = nlohmann::json::object();
  for (const Step& step : steps) {
    step.run();
    results[step.name] = {
        {"leaves", static_cast<double>(step.leaves) / static_cast<double>(step.records)},
        {"nanoseconds", nlohmann::json::array()}};
  }
  for (std::int64_t i = 0; i < repetitions; ++i) {
    for (const Step& step : steps) {
      results[step.name]["nanoseconds"].push_back(NanosecondsForEachRecord(step, at_least));
    }
  }
  std::cout << results.dump() << "\n";
  return 0;
}
