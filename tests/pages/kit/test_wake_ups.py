"""The event loop is woken once for many calls of another thread, which run in their order."""

import asyncio
import threading

import pytest

from pages.kit import wake_ups
from tests.pages.kit.asking import in_a_loop


def test_calls_of_another_thread_wake_the_loop_once_and_keep_their_order(monkeypatch):
    woken, done = [], []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        wake = loop.call_soon_threadsafe
        monkeypatch.setattr(loop, "call_soon_threadsafe", lambda *args: woken.append(args) or wake(*args))
        wake_ups.gather(loop)

        def script() -> None:  # while the loop waits for it
            for n in range(5):
                handle = loop.call_soon_threadsafe(done.append, n)
                if n == 2:
                    handle.cancel()

        thread = threading.Thread(target=script)
        thread.start()
        thread.join()
        assert len(woken) == 1
        await asyncio.sleep(0.01)
        assert done == [0, 1, 3, 4]
        assert await asyncio.to_thread(lambda: "an answer") == "an answer"

    in_a_loop(main())


def test_a_closed_loop_refuses_calls_each_time():
    loop = asyncio.new_event_loop()
    wake_ups.gather(loop)
    loop.close()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="closed"):
            loop.call_soon_threadsafe(print)
