# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on loopback that can be cut and mended: an outage without stopping the service."""

import contextlib
import selectors
import socket
import threading

from harness.ports import HOST


class TcpProxy:
    """Listens on `port` while open. Cut: new connections are refused, old ones are closed."""

    def __init__(self, port, target_port):
        self.port = port
        self.target_port = target_port
        self.address = f"{HOST}:{port}"
        self._listener = None
        self._lock = threading.Lock()
        self._sockets = set()

    def open(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, self.port))
        listener.listen(64)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return self

    def cut(self):
        listener, self._listener = self._listener, None
        if listener is not None:
            # shutdown wakes the thread in accept(); close alone would leave the port listening.
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        with self._lock:
            for connection in self._sockets:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            server = socket.create_connection((HOST, self.target_port), timeout=5)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        with self._lock:
            self._sockets.update((client, server))
        if self._listener is None:  # cut meanwhile
            client.close()
        try:
            self._pump(client, server)
        except OSError:
            pass
        finally:
            with self._lock:
                self._sockets.difference_update((client, server))
            client.close()
            server.close()

    @staticmethod
    def _pump(client, server):
        with selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ, server)
            selector.register(server, selectors.EVENT_READ, client)
            while True:
                for key, _ in selector.select():
                    data = key.fileobj.recv(65536)
                    if not data:
                        return
                    key.data.sendall(data)
