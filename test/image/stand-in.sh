# Sourced by the scripts beside it: makes a Debian as slim as the base of the image where no registry of images is reached.

# Usage: make_debian FOLDER LOG. Returns 77 where this machine cannot make one.
make_debian() {
  local folder=$1 log=$2
  if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo 'The image is not tried: its base is not reached, and to make one needs root and debootstrap (apt-get install debootstrap).'
    return 77
  fi
  echo 'the base of the image is not reached: one made by debootstrap stands in'
  debootstrap --variant=minbase trixie "$folder" >"$log" 2>&1 || {
    tail -n 5 "$log"
    return 1
  }
  # What Debian's slim images leave out too: https://github.com/debuerreotype/debuerreotype (.slimify-excludes).
  find "$folder/usr/share/doc" -type f ! -name copyright -delete
  rm -rf "$folder/usr/share/"{man,info,locale,lintian,linda} "$folder/var/cache/apt/"*.bin \
    "$folder/var/cache/apt/archives/"*.deb "$folder/var/lib/apt/lists/"*
  # The certificates this machine trusts: it may reach the registries by way of its own.
  mkdir -p "$folder/usr/local/share/ca-certificates"
  cp /usr/local/share/ca-certificates/*.crt "$folder/usr/local/share/ca-certificates/" 2>/dev/null || true
}
