#!/usr/bin/env bash
# In: root on a Debian with debootstrap, and a way to a Debian mirror.
# Out: an archive of a clean Debian of the same release, target/debian-SUITE.tar, which is made once. Standard output is its path;
# exit code 3 says in a sentence on standard output why there is none.
set -euo pipefail
. "$(dirname "$0")/env.sh"

none() { echo "$*" && exit 3; }
is_root || none "only root can make a chroot"
[ -e /etc/debian_version ] || none "this is no Debian"
command -v debootstrap >/dev/null || none "no debootstrap"

suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
base=$TARGET/debian-$suite.tar
if [ ! -e "$base" ]; then
  root=$(mktemp -d /var/tmp/chess-debian-XXXXXX)
  trap 'rm -rf --one-file-system "$root" "$root.tar"' EXIT
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $suite" | head -n 1)
  debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$TARGET/debootstrap.log" 2>&1 ||
    none "debootstrap finds no mirror: $(tail -n 1 "$TARGET/debootstrap.log")"
  tar -C "$root" -cf "$root.tar" .
  # another process may have made it meanwhile
  mv "$root.tar" "$base.$$"
  mv "$base.$$" "$base"
fi
echo "$base"
