// SPDX-License-Identifier: Apache-2.0
#include "registry/embedded_registry.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "avro/bounded_json.h"
#include "base/encoding.h"
#include "registry/embedded_schemas_internal.h"

namespace frazil::registry {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNesting = 64;
// Beside the schema's text a request holds names and references.
constexpr std::size_t kOtherBytes = 1 << 20;
constexpr std::string_view kOnlyLevel = "NONE";
constexpr std::string_view kOnlyMode = "READWRITE";

struct Call {
  // What stands in the places of the route's "*", in order.
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> query;
  std::string_view body;

  bool Flag(std::string_view name) const {
    return std::ranges::find(query, std::pair<std::string, std::string>(name, "true")) !=
           query.end();
  }
  std::string Text(std::string_view name) const {
    const auto found = std::ranges::find(query, name, [](const auto& pair) { return pair.first; });
    return found == query.end() ? "" : found->second;
  }
};

EmbeddedAnswer BadBody(const std::string& why) {
  return RefuseWith(422, "The body of the request cannot be read: " + why);
}

// The text at `key`; empty when it is absent or null.
std::optional<std::string> TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

class EmbeddedRegistry final : public net::HttpHandler {
 public:
  explicit EmbeddedRegistry(const EmbeddedRegistryLimits& limits)
      : limits_(limits), schemas_(limits) {}

  net::HttpResponse Handle(const net::HttpRequest& request,
                           const net::RequestContext& context) override;
  net::HttpResponse Refuse(const Error& error) override {
    return ToResponse(RefuseWith(error.row().http_status, error.message()));
  }
  bool MayTakeLong(const net::HttpRequest& /*request*/) const override { return false; }

 private:
  using Answerer = EmbeddedAnswer (EmbeddedRegistry::*)(const Call& call);
  struct Route {
    std::string_view method;
    // Segments by '/'; "*" stands for any one.
    std::string_view path;
    Answerer answer;
  };
  static const std::vector<Route>& Routes();
  static net::HttpResponse ToResponse(const EmbeddedAnswer& answer);

  EmbeddedAnswer Subjects(const Call& call) {
    return schemas_.ListSubjects(call.Flag("deleted"), call.Text("subjectPrefix"));
  }
  EmbeddedAnswer Versions(const Call& call) {
    return schemas_.ListVersions(call.names[0], call.Flag("deleted"));
  }
  EmbeddedAnswer Version(const Call& call) {
    return schemas_.GetVersion(call.names[0], call.names[1], call.Flag("deleted"));
  }
  EmbeddedAnswer VersionText(const Call& call) {
    return schemas_.GetText(call.names[0], call.names[1]);
  }
  EmbeddedAnswer DeleteSubject(const Call& call) {
    return schemas_.DeleteSubject(call.names[0], call.Flag("permanent"));
  }
  EmbeddedAnswer DeleteVersion(const Call& call) {
    return schemas_.DeleteVersion(call.names[0], call.names[1], call.Flag("permanent"));
  }
  EmbeddedAnswer ById(const Call& call) { return schemas_.GetById(call.names[0]); }
  EmbeddedAnswer Users(const Call& call) { return schemas_.GetUsers(call.names[0]); }
  EmbeddedAnswer Types(const Call& /*call*/) { return {200, {"AVRO"}}; }
  EmbeddedAnswer Register(const Call& call);
  EmbeddedAnswer LookUp(const Call& call);
  EmbeddedAnswer Compatibility(const Call& call);
  EmbeddedAnswer Config(const Call& /*call*/) {
    return {200, {{"compatibilityLevel", kOnlyLevel}}};
  }
  EmbeddedAnswer PutConfig(const Call& call);
  EmbeddedAnswer Mode(const Call& /*call*/) { return {200, {{"mode", kOnlyMode}}}; }
  EmbeddedAnswer PutMode(const Call& call);

  std::optional<EmbeddedAnswer> ParseBody(const Call& call, Json& body) const;
  std::optional<EmbeddedAnswer> ParseSchema(const Call& call, SchemaToRegister& schema) const;

  const EmbeddedRegistryLimits limits_;
  EmbeddedSchemas schemas_;
};

const std::vector<EmbeddedRegistry::Route>& EmbeddedRegistry::Routes() {
  using This = EmbeddedRegistry;
  static const std::vector<Route> routes = {
      {"GET", "/subjects", &This::Subjects},
      {"POST", "/subjects/*", &This::LookUp},
      {"DELETE", "/subjects/*", &This::DeleteSubject},
      {"GET", "/subjects/*/versions", &This::Versions},
      {"POST", "/subjects/*/versions", &This::Register},
      {"GET", "/subjects/*/versions/*", &This::Version},
      {"DELETE", "/subjects/*/versions/*", &This::DeleteVersion},
      {"GET", "/subjects/*/versions/*/schema", &This::VersionText},
      {"GET", "/schemas/types", &This::Types},
      {"GET", "/schemas/ids/*", &This::ById},
      {"GET", "/schemas/ids/*/versions", &This::Users},
      {"POST", "/compatibility/subjects/*/versions/*", &This::Compatibility},
      {"GET", "/config", &This::Config},
      {"PUT", "/config", &This::PutConfig},
      {"GET", "/config/*", &This::Config},
      {"PUT", "/config/*", &This::PutConfig},
      {"GET", "/mode", &This::Mode},
      {"PUT", "/mode", &This::PutMode},
      {"GET", "/mode/*", &This::Mode},
      {"PUT", "/mode/*", &This::PutMode},
  };
  return routes;
}

std::string_view TakeSegment(std::string_view& path) {
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

// The raw segments that stand where `pattern` has "*"; nullopt when the path is another one.
std::optional<std::vector<std::string_view>> Match(std::string_view pattern,
                                                   std::string_view path) {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string_view> names;
  while (pattern.starts_with('/') && path.starts_with('/')) {
    const std::string_view wanted = TakeSegment(pattern);
    const std::string_view found = TakeSegment(path);
    if (wanted == "*" && !found.empty()) {
      names.push_back(found);
    } else if (wanted != found) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return names;
}

net::HttpResponse EmbeddedRegistry::ToResponse(const EmbeddedAnswer& answer) {
  net::HttpResponse response;
  response.status = answer.status;
  response.headers.push_back({"Content-Type", "application/vnd.schemaregistry.v1+json"});
  response.body =
      answer.body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return response;
}

net::HttpResponse EmbeddedRegistry::Handle(const net::HttpRequest& request,
                                           const net::RequestContext& /*context*/) {
  auto query = net::ParseQuery(request.raw_query);
  if (!query.ok()) return Refuse(query.error());
  bool path_exists = false;
  for (const Route& route : Routes()) {
    const auto names = Match(route.path, request.raw_path);
    if (!names.has_value()) continue;
    path_exists = true;
    if (route.method != request.method) continue;
    Call call{.names = {}, .query = *std::move(query), .body = request.body};
    for (const std::string_view raw : *names) {
      auto name = PercentDecode(raw);
      if (!name.has_value() || !IsUtf8(AsBytes(*name))) {
        return ToResponse(RefuseWith(400, "The path has a broken escape."));
      }
      call.names.push_back(*std::move(name));
    }
    return ToResponse((this->*route.answer)(call));
  }
  if (path_exists) return ToResponse(RefuseWith(405, "HTTP 405 Method Not Allowed"));
  return ToResponse(RefuseWith(
      404, "The embedded registry does not offer this path of the Confluent schema registry API."));
}

std::optional<EmbeddedAnswer> EmbeddedRegistry::ParseBody(const Call& call, Json& body) const {
  // Escapes may double the length of a schema that stands in a JSON text.
  auto parsed = avro::ParseBoundedJson(
      call.body, {.text_bytes = 2 * limits_.schema_bytes + kOtherBytes, .nesting = kNesting});
  if (!parsed.ok()) return BadBody(parsed.error().message());
  if (!parsed->is_object()) return BadBody("it is no object");
  body = *std::move(parsed);
  return std::nullopt;
}

std::optional<EmbeddedAnswer> EmbeddedRegistry::ParseSchema(const Call& call,
                                                            SchemaToRegister& schema) const {
  Json body;
  if (auto refusal = ParseBody(call, body); refusal.has_value()) return refusal;
  const auto text = TextAt(body, "schema");
  if (!text.has_value() || text->empty()) return RefuseWith(42201, "Empty schema");
  schema.text = *text;
  const auto type = TextAt(body, "schemaType");
  if (!type.has_value() || (!type->empty() && *type != "AVRO")) {
    return RefuseWith(42201, "The embedded registry takes schemas of type AVRO only.");
  }
  const auto references = body.find("references");
  if (references == body.end() || references->is_null()) return std::nullopt;
  if (!references->is_array()) return BadBody("references are no array");
  for (const Json& json : *references) {
    if (!json.is_object()) return BadBody("a reference is no object");
    const auto name = TextAt(json, "name");
    const auto subject = TextAt(json, "subject");
    const auto version = json.find("version");
    if (!name.has_value() || !subject.has_value() || version == json.end() ||
        !version->is_number_integer()) {
      return BadBody("a reference needs a name, a subject and a version");
    }
    const auto number = version->get<std::int64_t>();
    if (number < 1 || number > INT32_MAX) return BadBody("a reference's version is out of bounds");
    schema.references.push_back({*name, {*subject, static_cast<std::int32_t>(number)}});
  }
  return std::nullopt;
}

EmbeddedAnswer EmbeddedRegistry::Register(const Call& call) {
  SchemaToRegister schema;
  if (auto refusal = ParseSchema(call, schema); refusal.has_value()) return *refusal;
  return schemas_.Register(call.names[0], schema);
}

EmbeddedAnswer EmbeddedRegistry::LookUp(const Call& call) {
  SchemaToRegister schema;
  if (auto refusal = ParseSchema(call, schema); refusal.has_value()) return *refusal;
  return schemas_.LookUp(call.names[0], schema, call.Flag("deleted"));
}

EmbeddedAnswer EmbeddedRegistry::Compatibility(const Call& call) {
  SchemaToRegister schema;
  if (auto refusal = ParseSchema(call, schema); refusal.has_value()) return *refusal;
  return schemas_.CheckCompatibility(call.names[0], call.names[1], schema);
}

EmbeddedAnswer EmbeddedRegistry::PutConfig(const Call& call) {
  Json body;
  if (auto refusal = ParseBody(call, body); refusal.has_value()) return *refusal;
  const auto level = TextAt(body, "compatibility");
  if (level == kOnlyLevel) return {200, {{"compatibility", kOnlyLevel}}};
  return RefuseWith(42203,
                    "The embedded registry checks no compatibility: its only level is NONE; use a "
                    "real registry for others.");
}

EmbeddedAnswer EmbeddedRegistry::PutMode(const Call& call) {
  Json body;
  if (auto refusal = ParseBody(call, body); refusal.has_value()) return *refusal;
  if (TextAt(body, "mode") == kOnlyMode) return {200, {{"mode", kOnlyMode}}};
  return RefuseWith(42204, "The embedded registry's only mode is READWRITE.");
}

}  // namespace

std::unique_ptr<net::HttpHandler> MakeEmbeddedRegistry(const EmbeddedRegistryLimits& limits) {
  return std::make_unique<EmbeddedRegistry>(limits);
}

}  // namespace frazil::registry
