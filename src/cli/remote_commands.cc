// SPDX-License-Identifier: Apache-2.0
#include "cli/remote_commands.h"

#include <memory>
#include <stop_token>
#include <utility>

#include <fmt/format.h>

#include "base/encoding.h"
#include "cli/answer_text.h"
#include "cli/text_table.h"
#include "net/http_client.h"

namespace frazil::cli {
namespace {

constexpr std::size_t kLargestAnswer = 256 << 20;

// "tables/speed/pg.public.orders" of "speed.pg.public.orders".
Result<std::string> TablePath(const std::string& table) {
  const std::size_t dot = table.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == table.size()) {
    return Error(ErrorCode::kInvalidArgument,
                 "a table is named with its namespace, like speed.orders, not " + Escaped(table));
  }
  return "tables/" + PercentEncode(table.substr(0, dot)) + "/" +
         PercentEncode(table.substr(dot + 1));
}

Result<std::string> PathOf(const CommandLine& line) {
  switch (line.command) {
    case Command::kTopics:
      return std::string("topics");
    case Command::kTables:
      return std::string("tables");
    case Command::kDescribe:
      return TablePath(line.table);
    case Command::kStatus:
      return std::string("status");
    default:
      return Error(ErrorCode::kInternal, "a command that asks no server");
  }
}

Result<std::string> TextOf(Command command, const std::string& body) {
  if (command == Command::kTopics) return TopicsText(body);
  if (command == Command::kTables) return TablesText(body);
  if (command == Command::kDescribe) return TableText(body);
  return StatusText(body);
}

Error NoServer(const std::string& server, const Error& cause) {
  return Error(ErrorCode::kNetwork,
               fmt::format("no Frazil server answers at {}; start one with `frazil serve`, or name "
                           "another with --server or FRAZIL_SERVER ({})",
                           Escaped(server), cause.message()));
}

}  // namespace

Result<std::string> AskServer(const CommandLine& line, Deadline deadline) {
  FRAZIL_ASSIGN_OR_RETURN(const std::string path, PathOf(line));
  auto url = net::HttpUrl::Parse(line.server);
  if (!url.ok()) return url.error().Within("--server");
  const std::unique_ptr<net::HttpClient> client =
      net::MakeHttpClient(*url, {.body_bytes = kLargestAnswer});
  net::HttpRequest request;
  request.method = "GET";
  request.raw_path = "/frazil/v1/" + path;
  request.headers = {{"Accept", "application/json"}};
  const auto answer = client->Send(request, deadline, std::stop_token());
  if (!answer.ok()) return NoServer(line.server, answer.error());
  if (answer->status != 200) return ErrorOf(answer->body, answer->status);
  FRAZIL_ASSIGN_OR_RETURN(std::string text, TextOf(line.command, answer->body));
  return line.output == "json" ? answer->body : std::move(text);
}

}  // namespace frazil::cli
