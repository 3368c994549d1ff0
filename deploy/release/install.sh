#!/bin/sh
# Installs assay @VERSION@ for this user or, as root, for all users. It verifies the archive before it installs it.
#
#   sh install.sh [-b FOLDER] [-u URL]
#
# -b: folder for the program; by default /usr/local/bin for root, otherwise ~/.local/bin
# -u: where the files of the release are, such as a mirror; by default the variable ASSAY_RELEASE_URL, otherwise
#     @URL@
#
# It requires curl or wget, tar, gzip, and sha256sum, shasum or openssl. If minisign is installed, it also verifies the
# signature of the checksums, with the key below or the one in the variable ASSAY_RELEASE_PUBLIC_KEY.
set -eu

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

fetch() { # URL of the release, name of a file, folder
  if command -v curl >/dev/null; then curl -fsSL --retry 3 -o "$3/$2" "$1/$2"
  elif command -v wget >/dev/null; then wget -q -O "$3/$2" "$1/$2"
  else fail "curl or wget is required"
  fi || fail "cannot download $1/$2"
}

sum() { # file
  if command -v sha256sum >/dev/null; then sha256sum "$1"
  elif command -v shasum >/dev/null; then shasum -a 256 "$1"
  elif command -v openssl >/dev/null; then openssl dgst -sha256 -r "$1"
  else echo "install.sh: sha256sum, shasum or openssl is required" >&2
  fi | cut -d ' ' -f 1
}

# The work is in a function, so that a script that is only downloaded in part does nothing.
main() {
  version=@VERSION@
  url=${ASSAY_RELEASE_URL:-@URL@}
  key=${ASSAY_RELEASE_PUBLIC_KEY:-@KEY@}

  folder=
  while getopts b:u: option; do
    case $option in
      b) folder=$OPTARG ;;
      u) url=${OPTARG%/} ;;
      *) fail "usage: install.sh [-b FOLDER] [-u URL]" ;;
    esac
  done
  if [ -z "$folder" ]; then
    if [ "$(id -u)" = 0 ]; then folder=/usr/local/bin; else folder=$HOME/.local/bin; fi
  fi

  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no program for $(uname -s); for Windows, $url contains zip archives" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no program for the processor $(uname -m)" ;;
  esac
  name=assay_${version}_${system}_${arch}

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM

  fetch "$url" SHA256SUMS "$work"
  if [ -z "$key" ]; then
    echo "install.sh: this release is not signed; only the checksum is verified" >&2
  elif command -v minisign >/dev/null; then
    fetch "$url" SHA256SUMS.minisig "$work"
    minisign -V -q -P "$key" -m "$work/SHA256SUMS" -x "$work/SHA256SUMS.minisig" ||
      fail "the signature of SHA256SUMS is wrong; nothing was installed"
  else
    echo "install.sh: minisign is not installed; only the checksum is verified" >&2
  fi

  want=
  while read -r checksum file; do
    [ "$file" != "$name.tar.gz" ] || want=$checksum
  done <"$work/SHA256SUMS"
  [ -n "$want" ] || fail "SHA256SUMS does not contain $name.tar.gz; nothing was installed"
  fetch "$url" "$name.tar.gz" "$work"
  got=$(sum "$work/$name.tar.gz")
  [ "$got" = "$want" ] || fail "the checksum of $name.tar.gz is $got, want $want; nothing was installed"

  gzip -dc "$work/$name.tar.gz" | tar -xf - -C "$work" "$name/assay"
  mkdir -p "$folder"
  # A file that is being executed cannot be overwritten, but it can be replaced.
  cp "$work/$name/assay" "$folder/.assay.new"
  chmod 755 "$folder/.assay.new"
  mv -f "$folder/.assay.new" "$folder/assay"

  "$folder/assay" version
  case :$PATH: in
    *:"$folder":*) echo "installed in $folder; start the server with: assay serve" ;;
    *) echo "installed in $folder, which is not in PATH; start the server with: $folder/assay serve" ;;
  esac
}

main "$@"
