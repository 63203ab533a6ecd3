// SPDX-License-Identifier: Apache-2.0
// Memory for brokers' answers. What the system takes to hand out fresh memory, page by page, is
// more than what it takes to receive an answer into it; so the memory of large answers is used
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace frazil::kafka {

// Threads: any; also those on which an owner lets go.
class AnswerBuffers {
 public:
  // At most `kept_bytes` are kept that nobody uses.
  explicit AnswerBuffers(std::size_t kept_bytes);

  // At least `size` bytes, in which anything may stand. They come back when their last owner lets
  // go, which may be after this object's end.
  std::shared_ptr<std::uint8_t[]> Take(std::size_t size);

 private:
  class Shelf;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace frazil::kafka
