#!/usr/bin/env bash
# try.sh with Docker: `docker build`, `docker run` confined as in compose.yaml, `docker stop`.
set -euo pipefail
. test/image/stand-in.sh

name=tocsin-try-$$
work=$(mktemp -d)
cleanup() {
  docker rm --force --volumes "$name" >/dev/null 2>&1 || true
  docker image rm "$name" "$name-base" >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work" || true
}
trap cleanup EXIT

base=$(sed -n "s/^ARG BASE=//p" Dockerfile)
if ! docker image inspect "$base" >/dev/null 2>&1 && ! docker pull -q "$base" >"$work/pull.log" 2>&1; then
  make_base "$work/base" "$work/debootstrap.log"
  tar -C "$work/base" -c . | docker import - "$name-base" >/dev/null
  rm -rf "$work/base"
  base=$name-base
fi

began=$SECONDS
docker build --build-arg "BASE=$base" -t "$name" . >"$work/build.log" 2>&1 || {
  tail -n 20 "$work/build.log"
  exit 1
}
megabytes() { echo "$(($(docker image inspect --format '{{.Size}}' "$1") / 1000000)) MB"; }
echo "built in $((SECONDS - began)) s; $(megabytes "$name"), of which the base $(megabytes "$base")"

# As compose.yaml confines it.
confined=(--read-only --cap-drop ALL --security-opt no-new-privileges --pids-limit 256)
user=$(docker run --rm "${confined[@]}" "$name" id -u)
[ "$user" = 10001 ] || { echo "it runs as user $user, not 10001"; exit 1; }
docker run --rm -i "${confined[@]}" "$name" node --disable-warning=ExperimentalWarning --input-type=module - <test/image/draw.js
[ -z "${1:-}" ] || tail --pid="$1" -f /dev/null

began=$SECONDS
token=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
docker run -d --name "$name" "${confined[@]}" -p 127.0.0.1::8080 \
  -e TOCSIN_HTTP_HOST=0.0.0.0 -e "TOCSIN_HTTP_TOKEN=$token" "$name" >/dev/null
at=$(docker port "$name" 8080)
ask() { curl -sf -H "authorization: Bearer $token" "http://$at$1"; }
until ask /api/alerts | grep -q '"fingerprint"'; do
  if ((SECONDS - began > 300)) || [ "$(docker inspect --format '{{.State.Running}}' "$name")" != true ]; then
    echo 'no alert came'
    docker logs --tail 20 "$name"
    exit 1
  fi
  sleep 0.5
done
echo "the first alert after $((SECONDS - began)) s"
ask / | grep -q '<script type="module"' || { echo 'the page is not in the image'; exit 1; }
# Of process 1, which is tini, and the bot below it.
if docker exec "$name" sh -c 'cat /proc/[0-9]*/status' | grep '^Cap[A-Za-z]*:.*[1-9a-f]'; then echo 'it has capabilities'; exit 1; fi
if docker exec "$name" touch /app/written 2>/dev/null; then echo 'its root can be written'; exit 1; fi

began=$SECONDS
docker stop "$name" >/dev/null
code=$(docker inspect --format '{{.State.ExitCode}}' "$name")
echo "stopped after $((SECONDS - began)) s with exit code $code"
[ "$code" = 0 ]
