// SPDX-License-Identifier: Apache-2.0
// The flags of `frazil sandbox`, and its run.
#pragma once

#include <signal.h>

#include "app/sandbox.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace frazil::cli {

// Adds the command to `app`; `settings`, which must outlive it, gets the flags' values.
CLI::App* AddSandboxCommand(CLI::App& app, app::SandboxSettings& settings);

// Prints the addresses and runs until one of the signals comes, which must be blocked.
Status RunSandbox(const app::SandboxSettings& settings, const sigset_t& signals);

}  // namespace frazil::cli
