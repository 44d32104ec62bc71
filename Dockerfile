# The bot and its data service. Build and start:
#   docker build -t tocsin . && docker run -v tocsin:/app/data -e DISCORD_TOKEN=… tocsin
ARG BASE=node:26.10.0-trixie-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY bin ./bin
COPY config ./config
COPY src ./src
# The page is built here and found by its sources at the start, so that what builds it is not in the image.
RUN node bin/tocsin.js prepare && ls node_modules/.cache/page/*/index.html \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# What only the developers of packages read: types and source maps; and Node.js, which the base has.
RUN rm -rf data node_modules/node-linux-* \
  && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' \) -delete

FROM ${BASE}
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
  && useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin tocsin \
  && install -d -o tocsin -g tocsin -m 0700 /app/data
WORKDIR /app
COPY --from=build /app ./
# SQLite sorts in files where much is to be sorted: of a read-only root only the volume can be written.
ENV NODE_ENV=production SQLITE_TMPDIR=/app/data
USER 10001
# Both databases and the compiled code; nothing else is written.
VOLUME /app/data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TOCSIN_HTTP_PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Process 1 must wait for orphans, which Node.js does not do, and nothing in a container can kill it (pid_namespaces(7)). tini
# hands signals on and ends with the process.
ENTRYPOINT ["/usr/bin/tini", "--"]
# As `npm start` does it, without npm in between: signals reach the process itself.
CMD ["node", "bin/tocsin.js", "start"]
