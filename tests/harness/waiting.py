# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition, with a deadline."""

import time


def wait_for(condition, what, seconds=30, pause=0.02):
    """Returns the condition's first true value. Raises TimeoutError that says what did not come."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(pause)
