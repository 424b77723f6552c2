"""What is set once when the server starts holds for all that is loaded later."""

import json
import subprocess
import sys

from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState

from pages.kit import start_up

SCRIPT = """
import asyncio, json
from threadpoolctl import threadpool_info
from pages.kit.start_up import YOUNG, prepared

async def started():
    async with prepared(None, pages="pages.topics"):
        import gc
        from starlette.formparsers import MultiPartParser
        threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        frozen = gc.get_freeze_count() > 100_000 and gc.get_threshold() == YOUNG
        print(json.dumps([list(threads), MultiPartParser.spool_max_size, frozen]))

asyncio.run(started())
"""


def test_pages_compute_in_one_thread_uploads_stay_in_memory_and_libraries_are_frozen() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout.splitlines()[-1]) == [[1], 40_000_000, True]


def test_what_a_component_holds_is_looked_at_as_it_is_unless_an_event_came_along():
    state = SessionState()
    state._new_widget_state.set_widget_metadata(
        WidgetMetadata("events", deserializer=json.loads, serializer=json.dumps, value_type="json_trigger_value")
    )
    look = start_up.as_it_is(make_bidi_component_presenter)("events", "component", {"level"})
    assert look(held := {"level": 1}, state) is held
    state._new_widget_state.set_from_value("events", [{"event": "move", "value": "next"}])
    assert look(held, state) == {"level": 1, "move": "next"}
