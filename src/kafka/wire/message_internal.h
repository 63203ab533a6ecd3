// SPDX-License-Identifier: Apache-2.0
// From a message's list of fields, `visit(codec, message, version)`, to its two directions.
#pragma once

#include <string_view>

#include "kafka/wire/api.h"
#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {

template <typename Message, typename Visit>
void EncodeMessage(const Message& message, std::int16_t version, Bytes& to, Visit visit) {
  Writer writer(to, IsFlexible(Message::kApi, version));
  visit(writer, message, version);
}

// `what` names the message in the error. Errors: kafka_protocol.
template <typename Message, typename Visit>
Result<Message> DecodeMessage(ByteView body, std::int16_t version, std::string_view what,
                              Visit visit) {
  Message message;
  Reader reader(body, IsFlexible(Message::kApi, version));
  visit(reader, message, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish(what));
  return message;
}

}  // namespace frazil::kafka::wire
