// SPDX-License-Identifier: Apache-2.0
// Prints what the client reads from a real registry: registry_probe URL SUBJECT [ID]...
#include <cstdio>
#include <cstdlib>
#include <string>

#include "net/http_client.h"
#include "registry/registry_client.h"

namespace {

void Print(const frazil::registry::Schema& schema) {
  std::printf("id %d, %s, %s\n", schema.id.value(), schema.format.c_str(), schema.text.c_str());
  for (const auto& text : schema.references) std::printf("  refers to %s\n", text.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: registry_probe URL SUBJECT [ID]...\n");
    return 2;
  }
  auto url = frazil::net::HttpUrl::Parse(argv[1]);
  if (!url.ok()) {
    std::printf("%s\n", url.error().ToString().c_str());
    return 1;
  }
  frazil::telemetry::Metrics metrics;
  auto client = frazil::registry::MakeClient(frazil::net::MakeHttpClient(*url), argv[1], metrics);
  const auto deadline = frazil::Deadline::After(std::chrono::seconds(20));
  const auto versions = client->Versions(argv[2], deadline, {});
  if (!versions.ok()) std::printf("%s\n", versions.error().ToString().c_str());
  for (const auto& version :
       versions.ok() ? *versions : std::vector<frazil::registry::SubjectVersion>{}) {
    std::printf("version %d: ", version.version);
    Print(version.schema);
  }
  for (int i = 3; i < argc; ++i) {
    const auto schema = client->ById(frazil::WriterSchemaId(std::atoi(argv[i])), deadline, {});
    if (schema.ok()) {
      Print(*schema);
    } else {
      std::printf("%s\n", schema.error().ToString().c_str());
    }
  }
  return 0;
}
