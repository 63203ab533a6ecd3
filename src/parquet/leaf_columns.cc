// SPDX-License-Identifier: Apache-2.0
#include "parquet/leaf_columns.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>

#include "parquet/library_error.h"

namespace frazil::parquet {
namespace {

using iceberg::NestedField;
using iceberg::TypeKind;
using Levels = std::vector<std::uint8_t>;
using Visitor = std::function<Status(const LeafColumn&)>;

// The rows, or the elements of one list: what shares entries.
struct Scope {
  std::int64_t slots = 0;
  std::int64_t entries = 0;
  std::uint8_t max_repetition = 0;
  // The definition level that says that a slot is there.
  std::uint8_t definition = 0;
  // One for each entry; empty for the rows, whose entries are their slots. An entry without a slot
  // has a definition level below `definition`.
  Levels repetitions;
  Levels definitions;
};

// Where the walk stands: in a scope, below some structs.
struct Place {
  const Scope* scope = nullptr;
  // Where all structs so far are there.
  std::uint8_t level = 0;
  SlotBits present;
  // The level of each slot; null: `level`, or one less where `present` has no bit.
  std::shared_ptr<const Levels> levels;

  std::uint8_t LevelAt(std::int64_t slot) const {
    if (levels != nullptr) return (*levels)[static_cast<std::size_t>(slot)];
    return present.At(slot) ? level : static_cast<std::uint8_t>(level - 1);
  }
};

Error NullInRequired(const NestedField& field) {
  return Error(ErrorCode::kInternal, "a required field holds NULL: " + field.name);
}

Result<std::uint8_t> Deeper(std::uint8_t level, const NestedField& field) {
  if (level == std::numeric_limits<std::uint8_t>::max()) {
    return Error(ErrorCode::kInternal, "a field lies more than 255 levels deep: " + field.name);
  }
  return static_cast<std::uint8_t>(level + 1);
}

SlotBits ValidityOf(const arrow::Array& array) {
  if (array.null_count() == 0) return {};
  const auto& buffer = array.data()->buffers[0];
  if (array.offset() % 8 == 0) return {buffer->data() + array.offset() / 8, buffer};
  const SlotBits shifted(buffer->data(), buffer);
  std::vector<std::uint8_t> bits(static_cast<std::size_t>(array.length() + 7) / 8);
  for (std::int64_t i = 0; i < array.length(); i += 8) {
    const int count = static_cast<int>(std::min<std::int64_t>(8, array.length() - i));
    bits[static_cast<std::size_t>(i / 8)] =
        static_cast<std::uint8_t>(shifted.Word(array.offset() + i, count));
  }
  return SlotBits(std::move(bits));
}

SlotBits Both(const SlotBits& left, const SlotBits& right, std::int64_t slots) {
  if (left.all()) return right;
  if (right.all()) return left;
  std::vector<std::uint8_t> bits(static_cast<std::size_t>(slots + 7) / 8);
  for (std::int64_t i = 0; i < slots; i += 8) {
    const int count = static_cast<int>(std::min<std::int64_t>(8, slots - i));
    bits[static_cast<std::size_t>(i / 8)] =
        static_cast<std::uint8_t>(left.Word(i, count) & right.Word(i, count));
  }
  return SlotBits(std::move(bits));
}

// The place of the field's own array: one level deeper where it may be NULL.
Result<Place> Enter(const Place& outer, const NestedField& field, const arrow::Array& array) {
  const std::int64_t slots = outer.scope->slots;
  const SlotBits validity = ValidityOf(array);
  Place inner{.scope = outer.scope,
              .level = outer.level,
              .present = Both(outer.present, validity, slots),
              .levels = outer.levels};
  if (field.required) {
    if (inner.present.Count(0, slots) < outer.present.Count(0, slots)) return NullInRequired(field);
    return inner;
  }
  FRAZIL_ASSIGN_OR_RETURN(inner.level, Deeper(outer.level, field));
  if (outer.present.all()) return inner;
  Levels levels(static_cast<std::size_t>(slots));
  for (std::int64_t i = 0; i < slots; ++i) {
    const bool deeper = inner.present.At(i);
    levels[static_cast<std::size_t>(i)] = deeper ? inner.level : outer.LevelAt(i);
  }
  inner.levels = std::make_shared<const Levels>(std::move(levels));
  return inner;
}

// The levels of all entries. Empty: those of the scope do, or the place's bits say it.
Levels EntryLevels(const Place& place) {
  const Scope& scope = *place.scope;
  const bool rows = scope.definitions.empty();
  if (rows && (place.present.all() || (place.level == 1 && place.levels == nullptr))) return {};
  if (!rows && (scope.slots == 0 || (place.present.all() && place.level == scope.definition))) {
    return {};
  }
  Levels levels(static_cast<std::size_t>(scope.entries));
  if (place.present.all()) {
    for (std::size_t entry = 0; entry < levels.size(); ++entry) {
      const std::uint8_t level = scope.definitions[entry];
      levels[entry] = level == scope.definition ? place.level : level;
    }
    return levels;
  }
  std::int64_t slot = 0;
  for (std::size_t entry = 0; entry < levels.size(); ++entry) {
    const bool has_slot = rows || scope.definitions[entry] == scope.definition;
    levels[entry] = has_slot ? place.LevelAt(slot) : scope.definitions[entry];
    slot += has_slot ? 1 : 0;
  }
  return levels;
}

Status VisitLeaf(const NestedField& field, const std::shared_ptr<arrow::Array>& array,
                 const Place& place, const Visitor& visit) {
  const Scope& scope = *place.scope;
  const Levels levels = EntryLevels(place);
  LeafColumn leaf{.field = &field,
                  .values = array,
                  .present = place.present,
                  .slots = scope.slots,
                  .present_count = place.present.Count(0, scope.slots),
                  .entries = scope.entries,
                  .max_definition = place.level,
                  .max_repetition = scope.max_repetition,
                  .slot_definition = scope.definition};
  if (!levels.empty()) {
    leaf.definition = levels.data();
  } else if (!scope.definitions.empty()) {
    leaf.definition = scope.definitions.data();
  }
  if (scope.max_repetition > 0) leaf.repetition = scope.repetitions.data();
  return visit(leaf);
}

// The elements of a list, one after another, with the entries that they and the lists without any
// give.
class Elements {
 public:
  // Room for so many entries; all of them look like a list's second element at first.
  Elements(std::uint8_t max_repetition, std::uint8_t definition, std::int64_t most_entries) {
    scope_.max_repetition = max_repetition;
    scope_.definition = definition;
    scope_.repetitions.assign(static_cast<std::size_t>(most_entries), max_repetition);
    scope_.definitions.assign(static_cast<std::size_t>(most_entries), definition);
  }

  void AddEntry(std::uint8_t repetition, std::uint8_t definition) {
    scope_.repetitions[entries_] = repetition;
    scope_.definitions[entries_] = definition;
    ++entries_;
  }

  void AddList(std::uint8_t repetition, std::int64_t begin, std::int64_t end) {
    scope_.repetitions[entries_] = repetition;
    entries_ += static_cast<std::size_t>(end - begin);
    if (!stretches_.empty() && stretches_.back().second == begin) {
      stretches_.back().second = end;
    } else {
      stretches_.emplace_back(begin, end);
    }
  }

  // A list for each row, none of them NULL.
  void AddRows(const arrow::ListArray& array, std::uint8_t empty) {
    const std::int32_t* const offsets = array.raw_value_offsets();
    std::uint8_t* const repetitions = scope_.repetitions.data();
    std::uint8_t* const definitions = scope_.definitions.data();
    const auto rows = static_cast<std::size_t>(array.length());
    if (offsets[0] == offsets[rows]) {
      // As headers are, mostly.
      std::fill_n(repetitions, rows, std::uint8_t{0});
      std::fill_n(definitions, rows, empty);
      entries_ = rows;
      return;
    }
    std::size_t entry = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto length = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
      repetitions[entry] = 0;
      definitions[entry] = length == 0 ? empty : scope_.definition;
      entry += length == 0 ? 1 : length;
    }
    entries_ = entry;
    stretches_.emplace_back(offsets[0], offsets[rows]);
  }

  // Nothing is added after it.
  void Finish() {
    scope_.repetitions.resize(entries_);
    scope_.definitions.resize(entries_);
    scope_.entries = static_cast<std::int64_t>(entries_);
    for (const auto& [begin, end] : stretches_) scope_.slots += end - begin;
  }

  const Scope& scope() const { return scope_; }
  // Of the list's own child; one after another where Arrow's builders made it.
  const std::vector<std::pair<std::int64_t, std::int64_t>>& stretches() const { return stretches_; }

 private:
  Scope scope_;
  std::size_t entries_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches_;
};

void AddLists(const arrow::ListArray& array, const Place& place, Elements& elements) {
  const Scope& outer = *place.scope;
  std::int64_t slot = 0;
  for (std::size_t entry = 0; entry < static_cast<std::size_t>(outer.entries); ++entry) {
    const std::uint8_t repetition = outer.repetitions.empty() ? 0 : outer.repetitions[entry];
    if (!outer.definitions.empty() && outer.definitions[entry] != outer.definition) {
      elements.AddEntry(repetition, outer.definitions[entry]);
      continue;
    }
    const std::int64_t here = slot++;
    const std::int64_t begin = array.value_offset(here);
    const std::int64_t end = array.value_offset(here + 1);
    if (!place.present.At(here)) {
      elements.AddEntry(repetition, place.LevelAt(here));
    } else if (begin == end) {
      elements.AddEntry(repetition, place.level);
    } else {
      elements.AddList(repetition, begin, end);
    }
  }
}

Result<Elements> ElementsOf(const NestedField& field, const arrow::ListArray& array,
                            const Place& place) {
  const Scope& outer = *place.scope;
  FRAZIL_ASSIGN_OR_RETURN(const std::uint8_t repetition, Deeper(outer.max_repetition, field));
  FRAZIL_ASSIGN_OR_RETURN(const std::uint8_t definition, Deeper(place.level, field));
  Elements elements(repetition, definition,
                    outer.entries + array.value_offset(array.length()) - array.value_offset(0));
  if (outer.definitions.empty() && place.present.all()) {
    elements.AddRows(array, place.level);
  } else {
    AddLists(array, place, elements);
  }
  elements.Finish();
  return elements;
}

Result<std::shared_ptr<arrow::Array>> Gathered(const std::shared_ptr<arrow::Array>& child,
                                               const Elements& elements) {
  if (elements.stretches().empty()) return child->Slice(0, 0);
  arrow::ArrayVector parts;
  for (const auto& [begin, end] : elements.stretches()) {
    parts.push_back(child->Slice(begin, end - begin));
  }
  if (parts.size() == 1) return parts.front();
  auto whole = arrow::Concatenate(parts, arrow::default_memory_pool());
  if (!whole.ok()) return LibraryError(whole.status());
  return *std::move(whole);
}

Status Walk(const NestedField& field, const std::shared_ptr<arrow::Array>& array,
            const Place& outer, const Visitor& visit);

// Lists, and maps: lists whose elements are entries of a key and a value.
Status WalkList(const NestedField& field, const arrow::ListArray& array, const Place& place,
                const Visitor& visit) {
  FRAZIL_ASSIGN_OR_RETURN(const Elements elements, ElementsOf(field, array, place));
  FRAZIL_ASSIGN_OR_RETURN(const auto child, Gathered(array.values(), elements));
  const Place inner{.scope = &elements.scope(),
                    .level = elements.scope().definition,
                    .present = {},
                    .levels = nullptr};
  const auto& fields = field.type.fields;
  if (field.type.kind == TypeKind::kList) return Walk(fields.at(0), child, inner, visit);
  const auto& entries = static_cast<const arrow::StructArray&>(*child);
  FRAZIL_RETURN_IF_ERROR(Walk(fields.at(0), entries.field(0), inner, visit));
  return Walk(fields.at(1), entries.field(1), inner, visit);
}

Status Walk(const NestedField& field, const std::shared_ptr<arrow::Array>& array,
            const Place& outer, const Visitor& visit) {
  FRAZIL_ASSIGN_OR_RETURN(const Place place, Enter(outer, field, *array));
  switch (field.type.kind) {
    case TypeKind::kStruct: {
      const auto& structs = static_cast<const arrow::StructArray&>(*array);
      for (std::size_t i = 0; i < field.type.fields.size(); ++i) {
        FRAZIL_RETURN_IF_ERROR(
            Walk(field.type.fields[i], structs.field(static_cast<int>(i)), place, visit));
      }
      return {};
    }
    case TypeKind::kList:
    case TypeKind::kMap:
      return WalkList(field, static_cast<const arrow::ListArray&>(*array), place, visit);
    default:
      return VisitLeaf(field, array, place, visit);
  }
}

}  // namespace

Status VisitLeaves(const NestedField& field, const std::shared_ptr<arrow::Array>& column,
                   const Visitor& visit) {
  Scope rows;
  rows.slots = rows.entries = column->length();
  Place place;
  place.scope = &rows;
  return Walk(field, column, place, visit);
}

}  // namespace frazil::parquet
