"""Ends the kernels of dashboard pages that are gone."""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from traitlets import default


class PageKernels(AsyncMappingKernelManager):  # type: ignore[misc]  # no types
    """One kernel per page.

    A page that is closed ends its kernel itself. If it could not, as its browser crashed, Jupyter
    ends the kernel once no page is connected and nothing has been shown for half a minute. An
    import shows its progress, so it ends first. A page that has not connected yet is still loading.
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
