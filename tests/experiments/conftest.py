"""What all tests of experiments share."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_thread():
    """The same sums in the same order, so that what is done twice is equal."""
    with threadpool_limits(1, user_api="blas"):
        yield
