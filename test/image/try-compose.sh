#!/usr/bin/env bash
# Starts what compose.yaml describes, as its first lines say: several processes on Postgres, and those that watch them. Kills one
# process after the other, waits until another has its roles, and stops everything. Takes the last commit, in a folder of its own.
# Needs Docker with Compose, the ports of compose.yaml free, and the images that it names; given names of services to watch
# with, it starts those instead of Prometheus and Grafana.
# Exit code 0 where it worked, 1 where not, 77 where this machine has no Docker with Compose.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! docker compose version >/dev/null 2>&1 || ! docker info >/dev/null 2>&1; then
  echo 'compose.yaml is not tried: that needs Docker with Compose.'
  exit 77
fi
watchers=("${@:-prometheus}")
[ $# -gt 0 ] || watchers+=(grafana)

work=$(mktemp -d)
export COMPOSE_PROJECT_NAME=tocsin-try-$$
export COMPOSE_PROFILES=postgres,sight
cleanup() {
  docker compose down --volumes --timeout 5 >/dev/null 2>&1 || true
  cd / && rm -rf --one-file-system "$work"
}
trap cleanup EXIT
git archive HEAD | tar -x -C "$work"
cd "$work"

mkdir -m 700 secrets
for name in tocsin_token tocsin tocsin_archive postgres_password grafana_password; do
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"secrets/$name"
done
echo "postgres://tocsin:$(cat secrets/tocsin)@postgres/tocsin" >secrets/database_url
echo "postgres://tocsin_archive:$(cat secrets/tocsin_archive)@postgres/tocsin_archive" >secrets/archive_url
# Nothing listens there: no alert may leave this machine.
echo http://127.0.0.1:9/ >secrets/alert_webhook

failed() {
  echo "$1"
  docker compose ps --all
  docker compose logs --tail 20
  exit 1
}
# Waits for a command to succeed. Usage: within SECONDS WHAT COMMAND…
within() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < until)) || failed "not there: $what"
    sleep 0.5
  done
}
ask() { curl -sf -H "authorization: Bearer $(cat secrets/tocsin_token)" "http://127.0.0.1:$1"; }

docker compose build -q
began=$SECONDS
docker compose up -d --quiet-pull --wait bot 2>"$work/up.log" || failed "$(tail -n 5 "$work/up.log")"
echo "two bots, two data services and Postgres are healthy after $((SECONDS - began)) s"
for port in 8081 8082; do
  within 60 "a bot that is ready at $port" ask "$port/readyz"
  ask "$port/api/alerts" >/dev/null || failed "the page at $port does not answer"
  ! curl -sf "http://127.0.0.1:$port/api/alerts" >/dev/null || failed "the page at $port answers without a token"
done

docker compose up -d --quiet-pull --wait "${watchers[@]}" 2>"$work/up.log" || failed "$(tail -n 5 "$work/up.log")"
seen() { ask '9090/api/v1/query?query=count(tocsin_build_info)' | grep -q '"2"'; }
within 120 'both bots in Prometheus' seen
echo "Prometheus sees both"

# Of two processes one has the roles, or both have some: killing them in turn, each time the other is there, one takes over.
other_takes_over() {
  local service=$1 index=$2 since
  since=$(date -u +%FT%TZ)
  docker kill "$COMPOSE_PROJECT_NAME-$service-$index" >/dev/null
  for _ in $(seq 40); do
    if docker logs --since "$since" "$COMPOSE_PROJECT_NAME-$service-$((3 - index))" 2>&1 |
      grep -q 'took this role over from another process'; then return; fi
    sleep 0.5
  done
  return 1
}
for service in bot data; do
  began=$SECONDS
  other_takes_over "$service" 1 || {
    docker compose up -d --wait "$service" 2>"$work/up.log" || failed "$(tail -n 5 "$work/up.log")"
    began=$SECONDS
    other_takes_over "$service" 2 || failed "no $service took over"
  }
  echo "the other $service has the roles of the killed one after $((SECONDS - began)) s"
  docker compose up -d --wait "$service" 2>"$work/up.log" || failed "$(tail -n 5 "$work/up.log")"
done

began=$SECONDS
docker compose stop >/dev/null 2>&1
echo "stopped after $((SECONDS - began)) s"
codes=$(docker compose ps --all --format '{{.Service}} {{.ExitCode}}')
! grep -v ' 0$' <<<"$codes" || failed 'these did not end with exit code 0'
