"""Ends the kernels of dashboard pages that were closed."""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from traitlets import default


class PageKernels(AsyncMappingKernelManager):  # type: ignore[misc]  # no types
    """Manages one kernel per page.

    A page that is closed ends its kernel. If it cannot, for example because the browser crashed,
    Jupyter ends the kernel when no page is connected and the kernel has had no output for half a
    minute. An import outputs its progress, so it finishes first. A kernel whose page has not
    connected yet is kept, because the page is still loading.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._connected = set[str]()

    @default("cull_idle_timeout")
    def _default_cull_idle_timeout(self) -> int:
        return 30

    @default("cull_interval")
    def _default_cull_interval(self) -> int:
        return 5

    def notify_connect(self, kernel_id: str) -> None:
        self._connected.add(kernel_id)
        super().notify_connect(kernel_id)

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        if kernel_id in self._connected:
            await super().cull_kernel_if_idle(kernel_id)
