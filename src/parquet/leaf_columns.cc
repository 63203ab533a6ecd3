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
  std::int64_t slot = 0;
  for (std::size_t entry = 0; entry < levels.size(); ++entry) {
    const bool has_slot = rows || scope.definitions[entry] == scope.definition;
    if (!has_slot) {
      levels[entry] = scope.definitions[entry];
    } else {
      levels[entry] = place.present.all() ? place.level : place.LevelAt(slot);
      ++slot;
    }
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
struct Elements {
  Scope scope;
  // Stretches of the list's own child; one after another where Arrow's builders made it.
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches;

  void AddEntry(std::uint8_t repetition, std::uint8_t definition) {
    scope.repetitions.push_back(repetition);
    scope.definitions.push_back(definition);
  }

  void AddList(std::uint8_t repetition, std::int64_t begin, std::int64_t end) {
    AddEntry(repetition, scope.definition);
    const auto more = static_cast<std::size_t>(end - begin - 1);
    scope.repetitions.insert(scope.repetitions.end(), more, scope.max_repetition);
    scope.definitions.insert(scope.definitions.end(), more, scope.definition);
    scope.slots += end - begin;
    if (!stretches.empty() && stretches.back().second == begin) {
      stretches.back().second = end;
    } else {
      stretches.emplace_back(begin, end);
    }
  }
};

Result<Elements> ElementsOf(const NestedField& field, const arrow::ListArray& array,
                            const Place& place) {
  const Scope& outer = *place.scope;
  Elements elements;
  FRAZIL_ASSIGN_OR_RETURN(elements.scope.max_repetition, Deeper(outer.max_repetition, field));
  FRAZIL_ASSIGN_OR_RETURN(elements.scope.definition, Deeper(place.level, field));
  const std::int64_t most =
      outer.entries + array.value_offset(array.length()) - array.value_offset(0);
  elements.scope.repetitions.reserve(static_cast<std::size_t>(most));
  elements.scope.definitions.reserve(static_cast<std::size_t>(most));
  // As headers are, mostly.
  if (outer.repetitions.empty() && place.present.all() &&
      array.value_offset(0) == array.value_offset(array.length())) {
    elements.scope.entries = outer.entries;
    elements.scope.repetitions.assign(static_cast<std::size_t>(outer.entries), 0);
    elements.scope.definitions.assign(static_cast<std::size_t>(outer.entries), place.level);
    return elements;
  }
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
  elements.scope.entries = static_cast<std::int64_t>(elements.scope.definitions.size());
  return elements;
}

Result<std::shared_ptr<arrow::Array>> Gathered(const std::shared_ptr<arrow::Array>& child,
                                               const Elements& elements) {
  if (elements.stretches.empty()) return child->Slice(0, 0);
  arrow::ArrayVector parts;
  for (const auto& [begin, end] : elements.stretches) {
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
  const Place inner{.scope = &elements.scope,
                    .level = elements.scope.definition,
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
