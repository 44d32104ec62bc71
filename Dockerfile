# The bot and its data service on Debian. Build and start:
#   docker build -t tocsin . && docker run -v tocsin:/app/data -e DISCORD_TOKEN=… tocsin
# Node.js is not Debian's: it comes with the production dependencies, pinned by the lock file.
ARG BASE=debian:trixie-slim

FROM ${BASE} AS build
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates npm \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Of the pinned Node.js only the program itself is needed to run: no headers, no manual.
RUN npm ci --omit=dev --no-audit --no-fund \
  && mkdir bin && mv node_modules/node-linux-*/bin/node bin/ && rm -rf node_modules/node-linux-*
COPY config ./config
COPY src ./src

# Node.js is linked against libatomic.
FROM ${BASE}
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates libatomic1 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin tocsin \
  && install -d -o tocsin -g tocsin -m 0700 /app/data
WORKDIR /app
COPY --from=build /app ./
ENV PATH=/app/bin:/usr/local/bin:/usr/bin:/bin NODE_ENV=production
USER 10001
# Both databases and the compiled code; nothing else is written.
VOLUME /app/data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TOCSIN_HTTP_PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# As `npm start` does it, without npm in between: signals reach the process itself.
CMD ["node", "--import", "./src/compile-cache.js", "--max-semi-space-size=4", "--disable-warning=ExperimentalWarning", "src/main.ts", "start"]
