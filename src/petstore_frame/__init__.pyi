"""The names of petstore_frame, each with its home: the one list, for Python and type checkers."""

from . import charts as charts
from . import errors as errors
from .bundled import samples as samples
from .bundled.server import Server as Server
from .bundled.server import serve as serve
from .client import Client as Client
from .counts.summary import Summary as Summary
from .counts.summary import summarize as summarize
from .dashboard import Dashboard as Dashboard
from .errors import APIConnectionError as APIConnectionError
from .errors import APIStatusError as APIStatusError
from .errors import ArgumentError as ArgumentError
from .errors import AuthenticationError as AuthenticationError
from .errors import BadRequestError as BadRequestError
from .errors import ConfigurationError as ConfigurationError
from .errors import ContractError as ContractError
from .errors import DuplicatesError as DuplicatesError
from .errors import EndpointDeprecatedWarning as EndpointDeprecatedWarning
from .errors import IncompleteInventoryError as IncompleteInventoryError
from .errors import InputError as InputError
from .errors import LoadInterrupted as LoadInterrupted
from .errors import NotFoundError as NotFoundError
from .errors import PetstoreError as PetstoreError
from .history import History as History
from .http.settings import IdempotencyKey as IdempotencyKey
from .inventory import Completeness as Completeness
from .inventory import Inventory as Inventory
from .inventory import fetch_inventory as fetch_inventory
from .inventory.result import completeness as completeness
from .loader.load import load_csv as load_csv
from .loader.load import load_excel as load_excel
from .loader.load import load_frame as load_frame
from .loader.reading.recipe import Recipe as Recipe
from .loader.results.ids import read_ids as read_ids
from .loader.results.results import LoadResult as LoadResult
from .loader.run import resume_loads as resume_loads
from .report import write_report as write_report
from .schema.models import PET_COLUMNS as PET_COLUMNS
from .schema.models import PET_STATUSES as PET_STATUSES
from .schema.models import NewPet as NewPet
from .schema.models import Pet as Pet
from .stocktake import compare as compare

__version__: str
