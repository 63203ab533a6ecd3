// SPDX-License-Identifier: Apache-2.0
#include "parquet/column_chunk.h"

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "parquet/column_dictionary.h"
#include "parquet/leaf_values.h"
#include "parquet/level_runs.h"
#include "parquet/page_header.h"
#include "parquet/page_plan.h"

namespace frazil::parquet {
namespace {

constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);
static_assert(kRunSlack <= FileBuffer::kSlack);

// Numbers that become one run: repeated where they are all the same, packed otherwise.
struct Run {
  std::int64_t count = 0;
  int width = 0;
  bool repeated = false;
  std::uint8_t value = 0;
  // Packed: the numbers, or bits in their place.
  const std::uint8_t* numbers = nullptr;

  std::size_t size() const {
    if (count == 0) return 0;
    return repeated ? RepeatedRunSize(count) : PackedRunSize(count, width);
  }
};

Run RunOf(const std::uint8_t* numbers, std::int64_t count, int width) {
  const bool repeated =
      count > 0 && std::memcmp(numbers, numbers + 1, static_cast<std::size_t>(count - 1)) == 0;
  return {.count = count,
          .width = width,
          .repeated = repeated,
          .value = count > 0 ? numbers[0] : std::uint8_t{0},
          .numbers = numbers};
}

std::uint8_t* WriteRun(const Run& run, std::uint8_t* to) {
  if (run.count == 0) return to;
  return run.repeated ? WriteRepeatedRun(run.count, run.value, to)
                      : WritePackedRun(run.numbers, run.count, run.width, to);
}

class ChunkWriter {
 public:
  ChunkWriter(const LeafColumn& leaf, FileBuffer& file) : leaf_(leaf), values_(leaf), file_(file) {}

  Result<ColumnChunk> Write() {
    ColumnChunk chunk;
    FRAZIL_RETURN_IF_ERROR(Decide(chunk));
    const std::size_t start = file_.size();
    if (dictionary_) {
      chunk.dictionary_offset = static_cast<std::int64_t>(start);
      FRAZIL_RETURN_IF_ERROR(WriteDictionary());
    }
    chunk.data_offset = static_cast<std::int64_t>(file_.size());
    std::int64_t values_before = 0;
    for (const PageBounds& page : PlanPages(leaf_, values_, !dictionary_)) {
      FRAZIL_RETURN_IF_ERROR(WritePage(page, values_before));
      values_before += page.values;
      ++chunk.data_pages;
    }
    chunk.bytes = static_cast<std::int64_t>(file_.size() - start);
    return chunk;
  }

 private:
  // What is known before the first byte.
  Status Decide(ColumnChunk& chunk) {
    const ValueForm form = values_.form();
    const bool bytes = form == ValueForm::kText || form == ValueForm::kFolded ||
                       form == ValueForm::kDecimalBytes ||
                       leaf_.field->type.kind == iceberg::TypeKind::kFixed ||
                       leaf_.field->type.kind == iceberg::TypeKind::kUuid;
    if (bytes) dictionary_ = DictionaryOfBytes(leaf_, values_);
    FRAZIL_ASSIGN_OR_RETURN(
        chunk.summary, Summarize(leaf_, values_, dictionary_ ? &dictionary_->values : nullptr));
    if (!bytes) dictionary_ = DictionaryOfConstant(leaf_, values_, chunk.summary);
    chunk.statistics = StatisticsOf(leaf_, values_, chunk.summary);
    return {};
  }

  Status WriteHeader(PageKind kind, std::size_t body, std::int64_t values) {
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    if (body > kMost || static_cast<std::size_t>(values) > kMost) {
      return Error(ErrorCode::kResourceExhausted,
                   "a Parquet page would be larger than 2 GiB; its field is " + leaf_.field->name);
    }
    const PageHeader header =
        MakePageHeader(kind, static_cast<std::int32_t>(body), static_cast<std::int32_t>(values));
    file_.Append(header.bytes.data(), header.size);
    return {};
  }

  Status WriteDictionary() {
    const auto& values = dictionary_->values.values();
    const std::size_t size = dictionary_->PlainSize(values_);
    FRAZIL_RETURN_IF_ERROR(
        WriteHeader(PageKind::kDictionary, size, static_cast<std::int64_t>(values.size())));
    if (!file_.keeps_bytes()) {
      file_.Skip(size);
      return {};
    }
    std::uint8_t* to = file_.Extend(size);
    for (const std::string_view value : values) {
      values_.WriteRaw(value, to);
      to += values_.PlainSizeOfRaw(value);
    }
    return {};
  }

  Run RepetitionRun(const PageBounds& page) const {
    return RunOf(leaf_.repetition + page.first_entry, page.entries(),
                 BitWidth(leaf_.max_repetition));
  }

  Run DefinitionRun(const PageBounds& page) const {
    const int width = BitWidth(leaf_.max_definition);
    if (leaf_.definition != nullptr) {
      return RunOf(leaf_.definition + page.first_entry, page.entries(), width);
    }
    Run run{.count = page.entries(), .width = width};
    run.repeated = page.values == 0 || page.values == page.entries();
    run.value = static_cast<std::uint8_t>(leaf_.max_definition - (page.values == 0 ? 1 : 0));
    return run;
  }

  Run NumbersRun(std::int64_t before, std::int64_t count) const {
    if (dictionary_->numbers.empty()) {
      return {.count = count, .width = dictionary_->width(), .repeated = true};
    }
    return RunOf(dictionary_->numbers.data() + before, count, dictionary_->width());
  }

  void WriteLevels(const Run& run, const PageBounds& page) {
    std::uint8_t* to = file_.Extend(kLengthBytes + run.size());
    const auto length = static_cast<std::uint32_t>(run.size());
    std::memcpy(to, &length, kLengthBytes);
    to += kLengthBytes;
    if (run.repeated || run.numbers != nullptr) {
      WriteRun(run, to);
    } else {
      WritePackedBits(leaf_.present, page.first_slot, page.end_slot, to);
    }
  }

  Status WritePage(const PageBounds& page, std::int64_t values_before) {
    Run repetition;
    Run definition;
    Run numbers;
    std::size_t body = 0;
    if (leaf_.max_repetition > 0) {
      repetition = RepetitionRun(page);
      body += kLengthBytes + repetition.size();
    }
    if (leaf_.max_definition > 0) {
      definition = DefinitionRun(page);
      body += kLengthBytes + definition.size();
    }
    if (dictionary_) {
      numbers = NumbersRun(values_before, page.values);
      body += 1 + numbers.size();
    } else {
      body += page.plain_bytes;
    }
    FRAZIL_RETURN_IF_ERROR(WriteHeader(
        dictionary_ ? PageKind::kDictionaryData : PageKind::kPlainData, body, page.entries()));
    if (!file_.keeps_bytes()) {
      file_.Skip(body);
      return {};
    }
    const std::size_t end = file_.size() + body;
    if (leaf_.max_repetition > 0) WriteLevels(repetition, page);
    if (leaf_.max_definition > 0) WriteLevels(definition, page);
    if (dictionary_) {
      std::uint8_t* to = file_.Extend(1 + numbers.size());
      *to++ = static_cast<std::uint8_t>(numbers.width);
      WriteRun(numbers, to);
    } else {
      values_.WritePlain(page.first_slot, page.end_slot, page.plain_bytes, file_);
    }
    FRAZIL_CHECK(file_.size() == end);
    return {};
  }

  const LeafColumn& leaf_;
  const LeafValues values_;
  FileBuffer& file_;
  std::optional<ColumnDictionary> dictionary_;
};

}  // namespace

Result<ColumnChunk> WriteColumnChunk(const LeafColumn& leaf, FileBuffer& file) {
  return ChunkWriter(leaf, file).Write();
}

}  // namespace frazil::parquet
