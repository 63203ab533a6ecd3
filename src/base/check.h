// SPDX-License-Identifier: Apache-2.0
// FRAZIL_CHECK: a broken invariant of ours ends the process. Never reachable from input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define FRAZIL_CHECK(condition)                                                              \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: invariant broken: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
