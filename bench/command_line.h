// SPDX-License-Identifier: Apache-2.0
// Options of the benchmark programs, and what a run has cost.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace frazil::bench {

// "--name value" pairs. Ends the process, with the reason, for anything else.
class Options {
 public:
  Options(int argc, char** argv);

  // Without `otherwise` the option must be there.
  std::string Text(const std::string& name) const;
  std::string Text(const std::string& name, const std::string& otherwise) const;
  std::int64_t Number(const std::string& name, std::int64_t otherwise) const;

 private:
  std::map<std::string, std::string> values_;
};

// How often a program consumes its topic; only the last time is counted. Memory that a process has
// for the first time costs the system, and a virtual machine's host, more than all that is done
// with it; what runs for long has it already.
inline constexpr int kPasses = 2;

// CPU time of the whole process, all threads, from construction on.
class CpuMeter {
 public:
  CpuMeter();
  // {"user_seconds": ..., "system_seconds": ..., "wall_seconds": ...}
  nlohmann::json Spent() const;

 private:
  double user_ = 0;
  double system_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

// Ends the process with this text on stderr.
[[noreturn]] void Fail(const std::string& text);

}  // namespace frazil::bench
