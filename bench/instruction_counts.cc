// SPDX-License-Identifier: Apache-2.0
// Runs each step once under callgrind, which counts the instructions of that run alone: setting up
// and a first run, which fills caches, lie outside. tools/count_instructions.py runs this program.
#include <cstdint>
#include <iostream>

#include <nlohmann/json.hpp>
#include <valgrind/callgrind.h>

#include "bench/steps.h"

namespace {

constexpr std::int64_t kFlatRecords = 16'384;
constexpr std::int64_t kNestedRecords = 4'096;

}  // namespace

int main() {
  nlohmann::json names = nlohmann::json::array();
  for (const frazil::bench::Step& step : frazil::bench::MakeSteps(kFlatRecords, kNestedRecords)) {
    step.run();
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    step.run();
    CALLGRIND_DUMP_STATS_AT(step.name.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
    names.push_back({{"name", step.name}, {"records", step.records}});
  }
  std::cout << names.dump() << "\n";
  return 0;
}
