# Sourced by the scripts beside it: makes a Debian with Node.js, as the base of the image is, where no registry of images is
# reached.

# Usage: make_base FOLDER LOG. Returns 77 where this machine cannot make one.
make_base() {
  local folder=$1 log=$2
  if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo 'The image is not tried: its base is not reached, and to make one needs root and debootstrap (apt-get install debootstrap).'
    return 77
  fi
  echo 'the base of the image is not reached: one made by debootstrap stands in'
  debootstrap --variant=minbase --include=ca-certificates,libatomic1 trixie "$folder" >"$log" 2>&1 || {
    tail -n 5 "$log"
    return 1
  }
  # What Debian's slim images leave out too: https://github.com/debuerreotype/debuerreotype (.slimify-excludes).
  find "$folder/usr/share/doc" -type f ! -name copyright -delete
  rm -rf "$folder/usr/share/"{man,info,locale,lintian,linda} "$folder/var/cache/apt/"*.bin \
    "$folder/var/cache/apt/archives/"*.deb "$folder/var/lib/apt/lists/"*
  # Node.js is the one that npm has installed into the project, and npm the one that did it.
  cp -L node_modules/node-linux-*/bin/node "$folder/usr/local/bin/node"
  mkdir -p "$folder/usr/local/lib/node_modules"
  cp -R "$(npm root -g)/npm" "$folder/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$folder/usr/local/bin/npm"
  # The certificates this machine trusts: it may reach the registries by way of its own.
  mkdir -p "$folder/usr/local/share/ca-certificates"
  cp /usr/local/share/ca-certificates/*.crt "$folder/usr/local/share/ca-certificates/" 2>/dev/null || true
}
