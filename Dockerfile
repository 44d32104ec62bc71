# The bot and its data service on Debian. Build and start:
#   docker build -t tocsin . && docker run -v tocsin:/app/data -e DISCORD_TOKEN=… tocsin
# Node.js is not Debian's: it comes with the production dependencies, pinned by the lock file.
ARG BASE=debian:trixie-slim

# Node.js is linked against libatomic, here as below. Debian's npm would bring four hundred packages of its own.
FROM ${BASE} AS build
ARG NPM=11.19.1
ARG NPM_SHA512=cedb312b1b7f92421a02cfb68b4194e88f8346651dacd6acc5364a25ef5309d4a32b19616a1ff8aff865e7280c0fa5c0835a99f5cd93368991e2a80ec9da75d2
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends binutils ca-certificates curl libatomic1 nodejs \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
  && curl -fsS --retry 5 -o npm.tgz "https://registry.npmjs.org/npm/-/npm-$NPM.tgz" \
  && echo "$NPM_SHA512 npm.tgz" | sha512sum --check --quiet \
  && mkdir /opt/npm && tar -x -z -f npm.tgz -C /opt/npm --strip-components=1 && rm npm.tgz \
  && ln -s /opt/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY config ./config
COPY src ./src
# The page is built here and found by its sources at the start, so that what builds it is not in the image.
RUN node_modules/node-linux-*/bin/node src/main.ts prepare && ls node_modules/.cache/page/*/index.html \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# Of the pinned Node.js only the program itself is needed to run: no headers, no manual, no symbols.
RUN mkdir bin && mv node_modules/node-linux-*/bin/node bin/ && rm -rf node_modules/node-linux-* \
  && strip --strip-all bin/node
# As npm ci does it where nobody develops: types too go now. test/image/try.sh draws a picture with what is left.
RUN bin/node src/runtime/trim-modules.js

# The certificates it trusts Node.js brings itself.
FROM ${BASE}
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libatomic1 tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
  && useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin tocsin \
  && install -d -o tocsin -g tocsin -m 0700 /app/data
WORKDIR /app
COPY --from=build /app ./
# SQLite sorts in files where much is to be sorted: of a read-only root only the volume can be written.
ENV PATH=/app/bin:/usr/local/bin:/usr/bin:/bin NODE_ENV=production SQLITE_TMPDIR=/app/data
USER 10001
# Both databases and the compiled code; nothing else is written.
VOLUME /app/data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TOCSIN_HTTP_PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No process of a container can kill its process 1, not even with SIGKILL: the watchdog could not end a process that hangs
# (pid_namespaces(7)). tini hands signals on and ends with the process.
ENTRYPOINT ["/usr/bin/tini", "--"]
# As `npm start` does it, without npm in between: signals reach the process itself.
CMD ["node", "--import", "./src/compile-cache.js", "--max-semi-space-size=2", "--heap-growing-percent=30", "--no-parallel-scavenge", "--disable-warning=ExperimentalWarning", "src/main.ts", "start"]
