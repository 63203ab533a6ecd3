// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "avro/names_internal.h"
#include "base/encoding.h"

namespace frazil::avro {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsValidNamespace(std::string_view name_space) {
  if (name_space.empty()) return true;
  if (name_space.front() == '.' || name_space.back() == '.') return false;
  if (name_space.find("..") != std::string_view::npos) return false;
  return std::ranges::none_of(name_space, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7f || c == '"' || c == '\\';
  });
}

}  // namespace

bool IsValidName(std::string_view name) {
  return !name.empty() && !IsDigit(name.front()) && std::ranges::all_of(name, IsNameCharacter);
}

bool IsPrimitiveName(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"null",  "boolean", "int",   "long",
                                                             "float", "double",  "bytes", "string"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::string_view NamespaceOf(std::string_view full_name) {
  const auto dot = full_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : full_name.substr(0, dot);
}

std::string FullName(std::string_view name, std::string_view name_space) {
  if (name_space.empty() || name.find('.') != std::string_view::npos) return std::string(name);
  std::string full(name_space);
  full += '.';
  full += name;
  return full;
}

Result<std::string> DefinedName(std::string_view name, std::string_view name_space) {
  std::string full = FullName(name, name_space);
  const std::string_view of = NamespaceOf(full);
  const std::string_view simple =
      of.empty() ? std::string_view(full) : std::string_view(full).substr(of.size() + 1);
  if (!IsValidName(simple) || !IsValidNamespace(of)) {
    return Error(ErrorCode::kCorruptData,
                 "a name in the Avro schema breaks the rules for names (letters, digits and "
                 "underscores, no digit first): " +
                     Printable(full));
  }
  if (IsPrimitiveName(full)) {
    return Error(ErrorCode::kCorruptData,
                 "the Avro schema defines a type under the name of a primitive type: " + full);
  }
  return full;
}

}  // namespace frazil::avro
