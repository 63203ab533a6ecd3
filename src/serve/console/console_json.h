// SPDX-License-Identifier: Apache-2.0
// The JSON bodies of /frazil/v1/, as docs/reference/api.md describes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/result.h"
#include "table/table_description.h"

namespace frazil::serve::console {

struct SystemState {
  // What was asked: addresses, or a URL.
  std::string address{};
  // Absent: it answered.
  std::optional<Error> failure{};
};

struct ServerState {
  std::string version{};
  UnixMillis started{};
  UnixMillis now{};
  std::string catalog_url{};
  std::string s3_url;
  SystemState kafka{};
  // Absent without a registry.
  std::optional<SystemState> registry{};
};

std::string TopicsBody(const std::vector<table::ListedTopic>& topics);
std::string TablesBody(const std::vector<table::TableDescription>& tables);
std::string TableBody(const table::TableDescription& table);
// `tables_failure`: why there are no tables in it.
std::string StatusBody(const ServerState& server,
                       const std::vector<table::TableDescription>& tables,
                       const std::optional<Error>& tables_failure);
std::string ErrorBody(const Error& error);

}  // namespace frazil::serve::console
