// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error. Every function that can fail returns one; no exception crosses
// a module. Status is the Result of a function that has nothing to return.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"

namespace frazil {

// What went wrong (code), said once in a sentence that names the cause and, where one is known,
// what to do (message). Run-time values stand last in the sentence.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const ErrorRow& row() const { return RowOf(code_); }

  // The same error with "context: " before its message.
  Error Within(std::string_view context) const {
    return Error(code_, std::string(context) + ": " + message_);
  }

  // "name: message", for logs and commands.
  std::string ToString() const { return std::string(row().name) + ": " + message_; }

 private:
  ErrorCode code_;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that `return value;` and `return Error(...);` read alike.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Requires: ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Requires: !ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Requires: !ok().
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

// Says in the code that an error is ignored on purpose.
template <typename T>
void IgnoreError(const Result<T>&) {}

}  // namespace frazil

#define FRAZIL_CONCAT_INNER(a, b) a##b
#define FRAZIL_CONCAT(a, b) FRAZIL_CONCAT_INNER(a, b)

// Returns the error of `expression` from the enclosing function.
#define FRAZIL_RETURN_IF_ERROR(expression)                 \
  do {                                                     \
    const auto& frazil_status = (expression);              \
    if (!frazil_status.ok()) return frazil_status.error(); \
  } while (false)

// FRAZIL_ASSIGN_OR_RETURN(auto value, Call()): declares value, or returns the error.
#define FRAZIL_ASSIGN_OR_RETURN(declaration, expression) \
  FRAZIL_ASSIGN_OR_RETURN_INNER(FRAZIL_CONCAT(frazil_result_, __LINE__), declaration, expression)
#define FRAZIL_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result.ok()) return result.error();                             \
  declaration = std::move(result).value()
