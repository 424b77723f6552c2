# What `make serve` does, in a container; `make docker-steps` tries each line in a fresh Debian. See docs/serving.md.
FROM debian:bookworm-slim
ENV PIP_NO_CACHE_DIR=1
RUN apt-get update && apt-get install --yes --no-install-recommends haproxy make python3-venv && rm -rf /var/lib/apt/lists/*
WORKDIR /privdemo
COPY Makefile requirements.txt ./
RUN make .venv/.run-ready
COPY . .
# The optional extras of pyproject.toml: trials on a Dask cluster, and polls in PostgreSQL.
RUN .venv/bin/python -m pip install --quiet '.[dask,postgresql]' && rm -rf build *.egg-info
# The user who serves may write here alone.
RUN mkdir --mode=700 /polls && chown nobody:nogroup /polls
ENV XDG_DATA_HOME=/polls
USER nobody
EXPOSE 8501
# Through HAProxy, as visitors come; it waits for the replicas before it starts itself.
HEALTHCHECK --interval=10s --timeout=10s --start-period=2m --retries=3 CMD [".venv/bin/python", "-c", "import http.client as h, sys; c = h.HTTPConnection('127.0.0.1', 8501, timeout=8); c.request('GET', '/_stcore/health'); sys.exit(c.getresponse().status != 200)"]
CMD ["make", "serve"]
