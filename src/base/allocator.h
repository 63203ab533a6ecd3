// SPDX-License-Identifier: Apache-2.0
// How the C library's allocator gives memory back.
#pragma once

namespace frazil {

// Large blocks go back to the system as soon as they are freed, and threads share a few arenas, so
// that the process's memory follows what is held. By itself the allocator keeps blocks of up to
// 32 MiB for itself once it has seen one freed, in each of eight arenas a core.
// Called once, before threads are started.
void LetAllocatorGiveBack();

}  // namespace frazil
