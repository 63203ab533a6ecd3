// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/answer_buffers.h"

#include <deque>
#include <utility>

#include "base/mutex.h"

namespace frazil::kafka {
namespace {

// Below this the allocator has memory at hand.
constexpr std::size_t kSmallestKept = 1U << 20;
// What is kept serves answers down to this part of its size.
constexpr std::size_t kMostTooLarge = 4;

}  // namespace

class AnswerBuffers::Shelf {
 public:
  struct Piece {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size = 0;
  };

  explicit Shelf(std::size_t limit) : limit_(limit) {}

  // The smallest piece that does; an empty one when none is here.
  Piece Find(std::size_t size) {
    const MutexLock lock(mutex_);
    auto best = pieces_.end();
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
      if (piece->size < size || piece->size / kMostTooLarge > size) continue;
      if (best == pieces_.end() || piece->size < best->size) best = piece;
    }
    if (best == pieces_.end()) return {};
    Piece found = std::move(*best);
    pieces_.erase(best);
    bytes_ -= found.size;
    return found;
  }

  // Those that were kept for longest leave when it becomes too much.
  void Put(Piece piece) {
    // Freed after the lock is gone.
    std::deque<Piece> dropped;
    const MutexLock lock(mutex_);
    bytes_ += piece.size;
    pieces_.push_back(std::move(piece));
    while (bytes_ > limit_) {
      bytes_ -= pieces_.front().size;
      dropped.push_back(std::move(pieces_.front()));
      pieces_.pop_front();
    }
  }

 private:
  const std::size_t limit_;
  Mutex mutex_;
  std::deque<Piece> pieces_ FRAZIL_GUARDED_BY(mutex_);
  std::size_t bytes_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

AnswerBuffers::AnswerBuffers(std::size_t kept_bytes)
    : shelf_(std::make_shared<Shelf>(kept_bytes)) {}

std::shared_ptr<std::uint8_t[]> AnswerBuffers::Take(std::size_t size) {
  if (size < kSmallestKept) return std::make_unique_for_overwrite<std::uint8_t[]>(size);
  Shelf::Piece piece = shelf_->Find(size);
  if (piece.bytes == nullptr) {
    // Answers of about the same size find each other's memory.
    piece.size = (size + kSmallestKept - 1) / kSmallestKept * kSmallestKept;
    piece.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(piece.size);
  }
  return {piece.bytes.release(), [shelf = shelf_, size = piece.size](std::uint8_t* bytes) {
            shelf->Put({std::unique_ptr<std::uint8_t[]>(bytes), size});
          }};
}

}  // namespace frazil::kafka
