# SPDX-License-Identifier: Apache-2.0
"""Makes tests/harness importable for every test below."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
