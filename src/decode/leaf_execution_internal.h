// SPDX-License-Identifier: Apache-2.0
// Operations on values that are not nested: each one loop over a set of rows. Pure.
#pragma once

#include "decode/avro_plan_internal.h"
#include "decode/column_buffers_internal.h"
#include "decode/row_set_internal.h"

namespace frazil::decode {

// Fills the column's rows [rows.first, rows.first + rows.count). After a stop the column is of no
// use.
Stop RunLeaf(const Op& op, const RowSet& rows, ColumnBuffers& column);

// From the lengths in a column's offsets to the places where its rows end. Requires: the offsets
// of the set's rows hold the lengths of their values, whose sum, and what is before them, fits.
void LengthsToEnds(const RowSet& rows, ColumnBuffers& column);

}  // namespace frazil::decode
