#!/usr/bin/env bash
# Builds the image, starts it as a user would and waits for its first alert, then stops it as `docker stop` does: with Docker
# where a daemon answers, else with buildah as root. Where no registry of images is reached, one made by debootstrap stands
# in for the base. Given the id of a process, it starts what it has built once that process has ended.
# Exit code 0 where it worked, 1 where not, 77 where this machine cannot build images.
set -euo pipefail
cd "$(dirname "$0")/../.."

if docker info >/dev/null 2>&1; then exec test/image/try-docker.sh "$@"; fi
if [ "$(id -u)" != 0 ] || ! command -v buildah >/dev/null; then
  echo 'The image is not tried: that needs Docker, or root and buildah (apt-get install buildah debootstrap).'
  exit 77
fi
. test/image/stand-in.sh

work=$(mktemp -d)
running=
cleanup() {
  [ -z "$running" ] || kill -KILL -- "-$running" 2>/dev/null || true
  # Layers are mounted below it, and whatever was under way.
  awk -v below="$work/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount --lazy
  rm -rf --one-file-system "$work" || true
}
trap cleanup EXIT
# A store of its own, which no other user of buildah shares and which goes with the folder. Where layers cannot be laid over
# one another, each is a copy.
driver=overlay
images() { buildah --storage-driver "$driver" --root "$work/storage" --runroot "$work/run" "$@"; }
images images >/dev/null 2>&1 || driver=vfs

base=$(sed -n "s/^ARG BASE=//p" Dockerfile)
if ! images pull -q "docker.io/library/$base" >"$work/pull.log" 2>&1; then
  make_base "$work/base" "$work/debootstrap.log"
  container=$(images from scratch)
  images add -q "$container" "$work/base" / >/dev/null
  rm -rf "$work/base"
  images commit -q --rm "$container" localhost/base-stand-in >/dev/null
  base=localhost/base-stand-in
fi

began=$SECONDS
# What npm has loaded here before need not be loaded again.
cache=$(npm config get cache)
mkdir -p "$cache"
images bud --isolation chroot --volume "$cache:/root/.npm" --build-arg "BASE=$base" -t tocsin . >"$work/build.log" 2>&1 || {
  tail -n 20 "$work/build.log"
  exit 1
}
size() { images images --format '{{.Size}}' "$1" | head -n 1; }
echo "built in $((SECONDS - began)) s; $(size localhost/tocsin), of which the base $(size "$base")"

container=$(images from localhost/tocsin)
# By the exit code: on a busy machine buildah now and then loses what a short command printed.
images run --isolation chroot "$container" -- sh -c 'test "$(id -u)" = 10001' || { echo 'it does not run as user 10001'; exit 1; }
images run --isolation chroot "$container" -- node --disable-warning=ExperimentalWarning --input-type=module - <test/image/draw.js
images inspect --format '{{range .OCIv1.Config.Entrypoint}}{{println .}}{{end}}{{range .OCIv1.Config.Cmd}}{{println .}}{{end}}' \
  "$container" | sed '/^$/d' >"$work/command"
images inspect --format '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' "$container" | sed '/^$/d' >"$work/environment"
mapfile -t command <"$work/command"
mapfile -t environment <"$work/environment"
root=$(images mount "$container")
install -d -o 10001 -g 10001 -m 0700 "$work/data"
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
[ -z "${1:-}" ] || tail --pid="$1" -f /dev/null
# As compose.yaml confines it: of its root nothing can be written but the volume; no capability, and none to be gained; the
# first of its processes has the number 1.
set -m
unshare --mount --pid --fork --kill-child sh -euc '
  root=$1 data=$2
  shift 2
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --bind "$data" "$root/app/data"
  mount -o remount,bind,ro "$root"
  exec chroot "$root" env -i -C /app "$@"
' confine "$root" "$work/data" "${environment[@]}" "TOCSIN_HTTP_PORT=$port" \
  setpriv --reuid=10001 --regid=10001 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
  "${command[@]}" >"$work/bot.log" 2>&1 &
running=$!
set +m

began=$SECONDS
until curl -sf "http://127.0.0.1:$port/api/alerts" | grep -q '"fingerprint"'; do
  if ((SECONDS - began > 300)) || ! kill -0 "$running" 2>/dev/null; then
    echo 'no alert came'
    tail -n 20 "$work/bot.log"
    exit 1
  fi
  sleep 0.5
done
echo "the first alert after $((SECONDS - began)) s"
curl -sf "http://127.0.0.1:$port/" | grep -q '<script type="module"' || { echo 'the page is not in the image'; exit 1; }
first=$(pgrep -P "$running")
for each in $first $(pgrep -P "$first"); do
  if grep '^Cap[A-Za-z]*:.*[1-9a-f]' "/proc/$each/status"; then echo 'it has capabilities'; exit 1; fi
done
if touch "/proc/$first/root/app/written" 2>/dev/null; then echo 'its root can be written'; exit 1; fi

began=$SECONDS
kill -TERM "$first"
wait "$running" && code=0 || code=$?
running=
echo "stopped after $((SECONDS - began)) s with exit code $code"
[ "$code" = 0 ]
