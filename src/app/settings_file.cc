// SPDX-License-Identifier: Apache-2.0
#include "app/settings_file.h"

#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/encoding.h"

namespace frazil::app {
namespace {

constexpr std::uintmax_t kLargestFile = 1 << 20;

Error Refuse(std::string message) { return Error(ErrorCode::kConfigInvalid, std::move(message)); }

// "line 3: ".
std::string LineOf(const YAML::Node& node) {
  return node.Mark().is_null() ? std::string() : fmt::format("line {}: ", node.Mark().line + 1);
}

// A '!' that begins a plain value is YAML's mark of a type, and what follows it is not the text.
Status CheckTag(const std::string& name, const YAML::Node& node) {
  const std::string& tag = node.Tag();
  if (tag.empty() || tag == "?" || tag == "!") return {};
  return Refuse(
      fmt::format("{}a value of {} begins with '!', which YAML takes for a type; put it in "
                  "quotes: {}",
                  LineOf(node), name, Printable(tag)));
}

Result<std::string> TextOf(const std::string& name, const YAML::Node& node) {
  FRAZIL_RETURN_IF_ERROR(CheckTag(name, node));
  if (node.IsScalar()) return node.Scalar();
  if (node.IsNull()) return std::string();
  if (!node.IsSequence()) {
    return Refuse(LineOf(node) + "the value of " + name + " is neither a text nor a list");
  }
  if (TypeOfSetting(name) != SettingType::kList) {
    return Refuse(LineOf(node) + "the setting " + name + " takes one value, not a list");
  }
  std::string list;
  for (const YAML::Node& item : node) {
    FRAZIL_RETURN_IF_ERROR(CheckTag(name, item));
    if (!item.IsScalar()) {
      return Refuse(LineOf(item) + "the list of " + name + " holds something that is no text");
    }
    if (!list.empty()) list += ',';
    list += item.Scalar();
  }
  return list;
}

Result<SettingTexts> ReadMap(const YAML::Node& root) {
  SettingTexts texts;
  if (root.IsNull()) return texts;
  if (!root.IsMap()) return Refuse("a file of settings is a map of `name: value`");
  for (const auto& entry : root) {
    if (!entry.first.IsScalar()) return Refuse(LineOf(entry.first) + "a key is no text");
    const std::string& name = entry.first.Scalar();
    if (!TypeOfSetting(name)) {
      return Refuse(fmt::format("{}there is no setting {}{}", LineOf(entry.first), Printable(name),
                                NearestSetting(name)));
    }
    FRAZIL_ASSIGN_OR_RETURN(std::string text, TextOf(name, entry.second));
    if (const Status checked = CheckText(name, text); !checked.ok()) {
      return Refuse(LineOf(entry.first) + checked.error().message());
    }
    if (!texts.emplace(name, std::move(text)).second) {
      return Refuse(LineOf(entry.first) + "the setting stands twice: " + name);
    }
  }
  return texts;
}

}  // namespace

Result<SettingTexts> ReadSettingsText(const std::string& content) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(content);
    if (documents.size() > 1) return Refuse("a file of settings is one YAML document, not several");
    return documents.empty() ? SettingTexts() : ReadMap(documents.front());
  } catch (const YAML::Exception& exception) {
    return Refuse(fmt::format("{}cannot be read as YAML: {}",
                              exception.mark.is_null()
                                  ? std::string()
                                  : fmt::format("line {}: ", exception.mark.line + 1),
                              Printable(exception.msg)));
  } catch (const std::exception& exception) {
    return Refuse(std::string("cannot be read as YAML: ") + exception.what());
  }
}

Result<SettingTexts> ReadSettingsFile(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return Refuse(fmt::format("cannot read {}: {}", path, error.message()));
  if (size > kLargestFile) return Refuse("a file of settings has at most 1 MiB: " + path);
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file) return Refuse("cannot read " + path);
  auto texts = ReadSettingsText(content.str());
  return texts.ok() ? std::move(texts) : texts.error().Within(path);
}

}  // namespace frazil::app
