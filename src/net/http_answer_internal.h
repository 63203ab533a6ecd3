// SPDX-License-Identifier: Apache-2.0
// The bytes before an answer's body, without sockets or clocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/http.h"

namespace frazil::net {

struct AnswerFrame {
  bool head_request = false;
  bool keep_alive = true;
  bool http10 = false;
  // From FormatHttpDate.
  std::string_view date;
};

// Whether the answer can be sent: a status from 200 to 599, headers that cannot be read as more
// than one line, a slice inside its bytes.
bool IsSendable(const HttpResponse& response);

// What the answer's body is, whichever way it is held. Requires: IsSendable.
std::string_view BodyOf(const HttpResponse& response);

// Whether an answer of that status has a body at all (RFC 9110 sections 15.3.5 and 15.4.5).
bool MayHaveBody(int status);

// The status line and headers with the empty line. Requires: IsSendable.
std::string SerializeHead(const HttpResponse& response, const AnswerFrame& frame);

// "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale.
std::string FormatHttpDate(std::int64_t unix_seconds);

}  // namespace frazil::net
