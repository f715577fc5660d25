"""Requests that several tests of the service make."""

from __future__ import annotations

import httpx

LUNA = {"name": "Luna", "categoryId": 3}


def post_bytes(api: httpx.Client, body: bytes, **headers: str) -> httpx.Response:
    """Send bytes as the body of an addition, stated as JSON."""
    return api.post("/pets", content=body, headers={"Content-Type": "application/json", **headers})
