// SPDX-License-Identifier: Apache-2.0
#include "bench/command_line.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

#include <sys/resource.h>

namespace frazil::bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::pair<double, double> CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {Seconds(usage.ru_utime), Seconds(usage.ru_stime)};
}

}  // namespace

Options::Options(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (!name.starts_with("--") || i + 1 == argc) {
      Fail("options are pairs of --name and value, not: " + name);
    }
    values_[name.substr(2)] = argv[i + 1];
  }
}

std::string Options::Text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) Fail("an option is missing: --" + name);
  return found->second;
}

std::string Options::Text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

std::int64_t Options::Number(const std::string& name, std::int64_t otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return otherwise;
  const std::string& text = found->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) Fail("no number: --" + name);
  return number;
}

CpuMeter::CpuMeter() : begin_(std::chrono::steady_clock::now()) {
  std::tie(user_, system_) = CpuSeconds();
}

nlohmann::json CpuMeter::Spent() const {
  const auto [user, system] = CpuSeconds();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin_;
  return {{"user_seconds", user - user_},
          {"system_seconds", system - system_},
          {"wall_seconds", wall.count()}};
}

void Fail(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

}  // namespace frazil::bench
