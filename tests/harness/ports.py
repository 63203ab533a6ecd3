# SPDX-License-Identifier: Apache-2.0
"""Ports on loopback that are free now."""

import contextlib
import socket

HOST = "127.0.0.1"


def free_ports(count, consecutive=False):
    """Distinct ports; with `consecutive` each one's successor is free, too, and not among them."""
    with contextlib.ExitStack() as held:
        ports = []
        while len(ports) < count:
            first = held.enter_context(socket.socket())
            first.bind((HOST, 0))
            port = first.getsockname()[1]
            if consecutive:
                try:
                    held.enter_context(socket.socket()).bind((HOST, port + 1))
                except (OSError, OverflowError):
                    continue
            ports.append(port)
        return ports


def is_taken(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0
