"""Whether the service is alive: for monitors, which have no key."""

from __future__ import annotations

from fastapi import APIRouter, Request

from petstore_frame.service.dependencies import shop_of

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def health(request: Request) -> dict[str, str]:
    """Answer 200 while the database answers, else 503; and tell nothing else."""
    await shop_of(request).store.pet(0)
    return {"status": "ok"}
