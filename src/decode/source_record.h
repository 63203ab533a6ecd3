// SPDX-License-Identifier: Apache-2.0
// One Kafka record as decoding sees it: base's, under the names that decoding uses. Pure.
#pragma once

#include "base/record_block.h"

namespace frazil::decode {

using frazil::NullableView;
using frazil::RecordBlock;
using SourceHeader = HeaderView;
using SourceRecord = RecordView;

}  // namespace frazil::decode
