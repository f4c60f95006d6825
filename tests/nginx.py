"""An nginx on the loopback interface that serves a directory, and what publishers let it say to crawlers."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.programs import free_ports, needed

SECONDS = 30.0  # after which a server that says nothing is taken for broken

CONFIGURATION = """\
daemon off;
{user}worker_processes 1;
pid {here}/pid;
error_log {here}/error.log notice;
events {{ worker_connections 128; }}
http {{
    types {{
        text/html html; text/css css; text/plain txt; text/xml xml;
        image/png png; image/jpeg jpg; image/svg+xml svg; application/pdf pdf;
    }}
    default_type application/octet-stream;
    charset utf-8;
    charset_types text/plain text/css;
    access_log {here}/access.log;
    client_body_temp_path {here}/body;
    fastcgi_temp_path {here}/fastcgi;
    proxy_temp_path {here}/proxy;
    scgi_temp_path {here}/scgi;
    uwsgi_temp_path {here}/uwsgi;
    {http}
    server {{
        listen 127.0.0.1:{port};
        server_name localhost;
        root "{root}";
        index index.html;
        {robots}
        {server}
    }}
}}
"""


@dataclass
class Nginx:
    """Serves the directory `root`; `robots` is said at `/robots.txt` in place of what may lie there.

    `http` and `server` are directives for those two blocks of its configuration. Use it as a context manager.
    """

    root: Path
    robots: bytes | None = None
    server: str = ""
    http: str = ""
    port: int = 0
    _process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._program = needed("nginx")
        self._directory = Path(tempfile.mkdtemp(prefix="acap-nginx-"))
        said = ""
        for port in free_ports():
            said = self._start(port)
            if not said:
                self.port = port
                return self
            if "Address already in use" not in said:
                break
        self.__exit__()
        raise AssertionError(f"nginx does not start: {said}")

    def __exit__(self, *_: object) -> None:
        self._stop()
        shutil.rmtree(self._directory)

    def url(self, path: str = "/") -> str:
        """The URL of a path here."""
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def error_log(self) -> str:
        """What nginx said of itself."""
        file = self._directory / "error.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def requests(self, agent: str) -> list[str]:
        """The targets of all requests whose User-Agent has a word in it, in order."""
        lines = (self._directory / "access.log").read_text(encoding="utf-8", errors="replace").splitlines()
        return [line.split('"')[1].split(" ")[1] for line in lines if agent in line.split('"')[5]]

    def _start(self, port: int) -> str:
        """Empty when it listens, else what it said before it ended."""
        here = self._directory
        (here / "robots.txt").write_bytes(self.robots or b"")
        robots = f'location = /robots.txt {{ default_type text/plain; alias "{here}/robots.txt"; }}'
        configuration = CONFIGURATION.format(
            here=here,
            http=self.http,
            port=port,
            robots="" if self.robots is None else robots,
            root=self.root.resolve(),
            server=self.server,
            user="user root;\n" if os.geteuid() == 0 else "",  # temporary directories are closed to others
        )
        (here / "nginx.conf").write_text(configuration, encoding="utf-8")
        command: list[str | Path] = [self._program, "-p", here, "-e", here / "error.log", "-c", here / "nginx.conf"]
        with (here / "output").open("wb") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        until = time.monotonic() + SECONDS
        while self._process.poll() is None and time.monotonic() < until:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)) and (here / "pid").exists():
                    return ""
            time.sleep(0.01)
        self._stop()
        return (here / "output").read_text(encoding="utf-8", errors="replace") or "it says nothing"

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGTERM)
            process.wait(SECONDS)
