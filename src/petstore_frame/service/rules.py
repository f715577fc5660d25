"""What the service does where the interface is silent.

In: nothing. Out: the frozen table of choices, and the numbers that they name.
"""

from __future__ import annotations

PET_STATUSES = ("available", "pending", "sold")
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

LIMIT_MIN, LIMIT_DEFAULT, LIMIT_MAX = 1, 20, 100
MAX_NAME_LENGTH = 1000
MAX_JSON_DEPTH = 32
MAX_BODY_BYTES = 64 * 1024
MAX_HEAD_BYTES = 16 * 1024
MAX_TARGET_BYTES = 8 * 1024
MAX_IDEMPOTENCY_KEY_LENGTH = 255
IDEMPOTENCY_KEEP_S = 7 * 24 * 3600
