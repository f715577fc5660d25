"""What the service does where the interface is silent.

In: nothing. Out: the frozen table of choices, each with the gap it fills and the reason, and the
numbers that the choices name. It knows no other file; the others take their numbers from here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

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
HEAD_S = 10.0
KEEP_ALIVE_S = 75
DRAIN_S = 8
KEY_REFRESH_S = 0.5
DEPRECATED_AT = datetime(2026, 11, 21, tzinfo=UTC)
SUNSET_AT = datetime(2030, 12, 5, tzinfo=UTC)


class Choice(NamedTuple):
    """One gap of the interface and how it is filled.

    Attributes:
        part: Section of the interface that the gap lies in.
        gap: What is not shown there.
        choice: What the service does.
        reason: Why.
        extension: Whether ``--spec-only`` switches it off.
    """

    part: str
    gap: str
    choice: str
    reason: str
    extension: bool = False


CHOICES: tuple[Choice, ...] = (
    Choice(
        "States",
        "Default status when `status` is omitted on creation: not shown",
        "stored and returned without `status`; such a pet matches no status filter",
        "status is optional in Pet, and an invented value would make filtered lists false",
    ),
    Choice(
        "Resources",
        "`status: null` in a body",
        "400",
        "three strings are listed; a null hides a mapping mistake of the client",
    ),
    Choice(
        "Resources",
        "fields of a body beyond NewPet",
        "ignored, not stored, not echoed; --strict answers 400",
        "400 is stated for missing and invalid fields only; strict finds misspelt names",
    ),
    Choice(
        "Resources",
        "an empty or blank name",
        "400",
        "a name that is required but may be empty has no value",
    ),
    Choice(
        "Resources",
        "length of a name",
        "1 to 1000 code points",
        "bounds memory and screens, far above any real name",
    ),
    Choice(
        "Resources",
        "characters of a name",
        "all of Unicode, byte for byte; U+0000 and half surrogate pairs 400",
        "those two cannot be stored as text in every database; escaping is the reader's part",
    ),
    Choice(
        "Resources",
        "range of categoryId",
        "any int64, zero and below included",
        "Category record: not shown, so that no value can be called wrong",
    ),
    Choice(
        "Resources",
        'categoryId as 1.0, true, "1" or 2^63',
        "1.0 is 1, the others 400",
        "JSON Schema calls 1.0 an integer, and JavaScript cannot tell it from 1",
    ),
    Choice(
        "Resources",
        "duplicate keys, NaN, deep nesting, another encoding, a byte order mark",
        "400 `invalid_json`; 32 levels; UTF-8 only",
        "two parsers that disagree about a body are a security hole",
    ),
    Choice(
        "Resources",
        "how ids are assigned",
        "rising from 1 in the order of commits, never reused, below 2^53",
        "exact in JavaScript, and a walk by id sees each pet that was acknowledged before it began",
    ),
    Choice(
        "Endpoints 1",
        "Pagination mechanism beyond `limit`: not shown",
        '`Link: <...>; rel="next"` with an opaque cursor; absent on the last page',
        "the body is a bare array, and RFC 8288 is the standard for a header",
        True,
    ),
    Choice(
        "Endpoints 1",
        "order of the list",
        "ascending id",
        "a walk during insertions neither repeats nor skips",
    ),
    Choice(
        "Limits",
        "Behaviour when `limit` is outside 1 to 100: not shown",
        "400 `invalid_parameter`; --limit-policy clamp cuts it to the range",
        "a bare array has no sign for `more`, so a silent cut reads as the whole list",
    ),
    Choice(
        "Endpoints 1",
        "a limit that is not a number, or an unknown status filter",
        "400 `invalid_parameter`",
        "an empty or other list would hide a typing mistake",
    ),
    Choice(
        "Endpoints 1",
        "unknown query parameters",
        "ignored; --strict answers 400",
        "web custom, and room for the interface to grow",
    ),
    Choice(
        "Endpoints 1",
        "a parameter given twice",
        "400",
        "a proxy and the service may each pick another one",
    ),
    Choice(
        "Endpoints 1",
        "a cursor that is not the service's own",
        "400 with the advice to start again",
        "never a wrong page",
        True,
    ),
    Choice(
        "Endpoints 1",
        "the address in a Link or Location",
        "--public-url if set; else the Host if it is one of the service's own names, "
        "else a reference without host",
        "a foreign Host must not steer a client, and `localhost` must not lead elsewhere",
        True,
    ),
    Choice(
        "Errors",
        "The set of values the `code` field can take: not shown",
        "one stable snake_case word per cause; the set is open",
        "clients may switch on it",
    ),
    Choice(
        "Errors",
        "which field was at fault",
        "extra member `field` of the Error",
        "objects are not closed; one name is enough",
        True,
    ),
    Choice(
        "Authentication",
        "what is checked first",
        "credential, address, method, media type, size, body",
        "without a key nobody learns which addresses exist or what a body must hold",
    ),
    Choice(
        "Endpoints",
        "unknown addresses, /store included",
        "404 Error (401 without a key); never a redirect",
        "a redirect drops the body of a POST or carries the key elsewhere",
    ),
    Choice(
        "Endpoints",
        "unknown methods",
        "405 Error with Allow; HEAD wherever GET is; OPTIONS 204 with Allow, no CORS",
        "RFC 9110 asks for it; a secret key does not belong in a browser",
    ),
    Choice(
        "Endpoints 3",
        "a petId that is not an int64, or 007, +7, 1.0",
        "404",
        "a status listed for getPet, and one address per pet",
    ),
    Choice(
        "Endpoints 2",
        "a media type other than application/json",
        "415; none stated is read as JSON",
        "the most specific status; stops simple forms",
    ),
    Choice("Endpoints", "Accept without JSON", "answered in JSON anyway", "a 406 helps nobody"),
    Choice(
        "Limits",
        "sizes: not shown",
        "body 64 KiB (413), address 8 KiB (414), head 16 KiB (431)",
        "a pet is under 5 KiB",
    ),
    Choice(
        "Limits",
        "time a client may take",
        "head 10 s, body 20 s, an unread answer 20 s (408, or the connection is closed)",
        "slow clients must not use up what the others need",
    ),
    Choice(
        "Errors",
        "failures of the service",
        "500 `internal_error`, or 503 `unavailable` with Retry-After when certainly nothing was "
        "stored",
        "503 means that sending again cannot add a second pet",
    ),
    Choice(
        "Errors",
        "finding a request again",
        "`X-Request-Id` on every answer and in the log",
        "the client's report and the service's log name the same request",
        True,
    ),
    Choice(
        "Authentication",
        "which store it is that answers at an address",
        "`X-Store-Id` on every answer, random, made with the database; an addition that names "
        "another one is refused with 412, and nothing is stored",
        "an import into an earlier store at this address must not count as done in this one",
        True,
    ),
    Choice(
        "Authentication",
        "the challenge of a 401",
        '`WWW-Authenticate: Bearer`, with error="invalid_token" when a key was sent',
        "mandatory in HTTP (RFC 9110, RFC 6750)",
    ),
    Choice(
        "Authentication",
        "How keys are issued, their lifetime and their scopes: not shown",
        "`petstore-frame keys new`; 256 random bits, only a hash stored, several valid at once, "
        "no expiry, no scopes",
        "keys can be replaced without downtime; a stolen database holds none",
    ),
    Choice(
        "Authentication",
        "a key in the query, a cookie or two headers",
        "401",
        "addresses end in logs (RFC 9700)",
    ),
    Choice(
        "Limits",
        "Rate limits: not shown",
        "none; --rate N gives 429 with Retry-After",
        "the switch exists to test clients",
    ),
    Choice(
        "Endpoints 2",
        "sending an addition again",
        "`Idempotency-Key` kept with the pet in one transaction for 7 days, for all API keys; "
        "another body 422; an equal request in flight waits and is replayed",
        "the one way to repeat a POST safely; an import goes on after a weekend, "
        "perhaps with a new API key",
        True,
    ),
    Choice(
        "Endpoints 2",
        "how a client learns that its key was honoured",
        "`Idempotency-Replayed: true|false` on each 201 that used one",
        "without it a client must assume that the key was ignored",
        True,
    ),
    Choice(
        "Endpoints 2",
        "address of the new pet",
        "`Location` while getPet exists",
        "RFC 9110 for 201",
        True,
    ),
    Choice(
        "Endpoints",
        "caching",
        "strong ETag over body and Link, 304 on If-None-Match, `Cache-Control: private, no-cache`",
        "only a client that asked gets a 304; a page whose Link changed has another tag",
        True,
    ),
    Choice(
        "Versioning",
        "how a deprecation shows in an answer",
        "`Deprecation` (RFC 9745) and `Sunset` (RFC 8594) on every getPet answer",
        "the hour of the removal is not shown, so the earliest instant of the day",
        True,
    ),
    Choice(
        "Versioning",
        "what happens after the removal date",
        "getPet goes on; --after-sunset gone answers 410",
        "a clock must not break a service; the switch lets clients rehearse",
    ),
    Choice(
        "Versioning",
        "Which operations carry a stability marker: not shown",
        "none; `x-stability` in the OpenAPI document is where one would stand",
        "a marker that the interface does not give would be a false promise",
    ),
    Choice(
        "What the service does",
        "is it alive",
        "`GET /healthz`, outside /v1 and without a key: 200 or 503, and nothing else",
        "monitors have no keys; everything under /v1 always needs one",
        True,
    ),
    Choice(
        "What the service does",
        "a machine-readable description",
        "`GET /v1/openapi.json`, with a key like everything else",
        "one source for other tools",
        True,
    ),
    Choice(
        "Events",
        "Events, category records, changes of status: not shown",
        "not built",
        "nothing is invented",
    ),
)
