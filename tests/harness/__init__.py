# SPDX-License-Identifier: Apache-2.0
"""What end-to-end tests, torture and `make dev` start and ask: services, Frazil, engines, an oracle."""
