// SPDX-License-Identifier: Apache-2.0
// libavro's reader of values of one schema. In a file of its own, which is compiled without src/ on
// its path: libavro's headers have the names of ours.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace frazil::bench {

class LibavroReader {
 public:
  // Ends the process for a text that is no schema.
  explicit LibavroReader(std::string_view schema_text);
  ~LibavroReader();

  // Reads one value, into the same generic value again and again. Whether it could be read.
  bool Read(const char* data, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frazil::bench
