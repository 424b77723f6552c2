# What `make serve` does, in a container; see docs/serving.md. Written where no Docker was at hand, and not built there.
FROM python:3.11-slim
RUN apt-get update && apt-get install --yes --no-install-recommends haproxy make && rm -rf /var/lib/apt/lists/*
WORKDIR /privdemo
COPY . .
RUN make .venv/.run-ready
RUN .venv/bin/python -m pip install --quiet 'psycopg[binary]>=3.2.10,<4' && mkdir /polls && chown nobody /polls
ENV XDG_DATA_HOME=/polls
USER nobody
EXPOSE 8501
CMD ["make", "serve"]
