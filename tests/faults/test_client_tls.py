"""What holds on a plain socket holds under TLS and through a proxy."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest

import petstore_frame as pf
from faults.hostile import Answer, HostileStore, http

KEY = "a-key-that-no-proxy-may-see"
FAR = "store.example"


class TlsStore(HostileStore):
    """A HostileStore that speaks TLS."""

    def __init__(self, answer: Answer, pem: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(pem)
        super().__init__(answer)

    @property
    def base_url(self) -> str:
        return f"https://localhost:{self.port}/v1"

    def _talk(self, wire: socket.socket) -> None:
        with self._context.wrap_socket(wire, server_side=True) as safe:
            super()._talk(safe)


class TunnelProxy(HostileStore):
    """A proxy that answers CONNECT and passes the bytes on, unseen, to one port of this machine."""

    def __init__(self, port: int) -> None:
        self._to = port
        super().__init__(lambda _: None)

    def _talk(self, wire: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", self._to)) as store:
            self.wires.add(store)
            self.heads.append(wire.recv(65536).decode("latin-1"))
            wire.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=self._pass_on, args=(store, wire), daemon=True)
            self._threads.append(back)
            back.start()
            self._pass_on(wire, store)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                self.heads.append(piece.decode("latin-1"))
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for this machine and for a store far away, with its private key."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", f"subjectAltName=DNS:localhost,DNS:{FAR}"]
    files = ["-keyout", str(path), "-out", str(path.with_suffix(".crt"))]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + path.with_suffix(".crt").read_bytes())
    return path


@pytest.fixture
def trusted(pem: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have new clients trust the certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(pem.with_suffix(".crt")))
    return pem


def read(address: str, timeout: float = 20, **options) -> list[int]:
    with pf.Client(address, KEY, retry_timeout=0, timeout=timeout, **options) as client:
        return [len(client.list_pets()) for _ in range(3)]


def test_one_handshake_serves_all_requests(trusted: Path) -> None:
    """A connection is kept under TLS, too."""
    with TlsStore(lambda _: http("200 OK"), trusted) as store:
        assert read(store.base_url) == [0, 0, 0]
    assert store.connections == 1


def test_a_store_without_a_trusted_certificate_is_refused(pem: Path) -> None:
    """Without trust in its certificate nothing is sent, and the cause is named."""
    with TlsStore(lambda _: http("200 OK"), pem) as store:
        with pytest.raises(pf.APIConnectionError, match=r"\(tls: .*verify failed") as caught:
            read(store.base_url)
    assert not caught.value.may_have_been_applied
    assert store.heads == []


def test_a_tunnel_shows_the_proxy_nothing(trusted: Path, monkeypatch) -> None:
    """A proxy for https carries many requests in one tunnel, and sees neither key nor path."""
    with TlsStore(lambda _: http("200 OK"), trusted) as store, TunnelProxy(store.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
        assert read(f"https://{FAR}/v1") == [0, 0, 0]
        assert (store.connections, proxy.heads[0].split()[:2]) == (1, ["CONNECT", f"{FAR}:443"])
    assert not any(KEY in seen or "/v1/pets" in seen for seen in proxy.heads)


def test_a_plain_proxy_is_asked_for_the_whole_address(monkeypatch) -> None:
    """A proxy for http sees the request, so plain http beyond this machine has to be allowed."""
    monkeypatch.setenv("PETSTORE_ALLOW_INSECURE", "1")
    with HostileStore(lambda _: http("200 OK")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        assert read(f"http://{FAR}/v1") == [0, 0, 0]
    assert proxy.heads[0].startswith(f"GET http://{FAR}/v1/pets?")


def test_a_dead_proxy_is_named(monkeypatch) -> None:
    """The error does not send the reader to the store, and shows no password of the proxy's."""
    with HostileStore(lambda _: None) as proxy:
        address = proxy.origin.replace("//", "//me:hidden@")
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(pf.APIConnectionError, match=f"the proxy {proxy.origin}") as caught:
        read(f"https://{FAR}/v1")
    assert not caught.value.may_have_been_applied
    assert "HTTPS_PROXY" in str(caught.value) and "hidden" not in str(caught.value)


def test_a_tunnel_that_is_refused_proves_that_nothing_was_sent(monkeypatch) -> None:
    """The proxy's refusal is no answer of the store's."""
    with HostileStore(lambda _: http("403 Forbidden", "")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
        with pf.Client(f"https://{FAR}/v1", KEY) as client:
            with pytest.raises(pf.APIConnectionError) as caught:
                client.create_pet("Luna", 1)
    assert (caught.value.reason, caught.value.may_have_been_applied) == ("proxy_error", False)
