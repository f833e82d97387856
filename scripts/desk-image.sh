#!/usr/bin/env bash
# In: optionally a wheel of scripts/wheel.sh, which this script makes otherwise. It needs root on a Debian for x86_64, with
# debootstrap and pip, a Debian mirror and a Python package index.
# Out: an image for containers with all of chess-desk (docs/desk.md): target/chess-desk-VERSION.oci.tar, an OCI archive with a
# small Debian, Python, PostgreSQL and the wheel. Its root is in target/desk-image. The last line of standard output is the
# file; exit code 3 says what is missing. On the same day the same commit and compiler give the same bytes.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/oci.sh

lacks() { echo "$*" && exit 3; }
base=$(scripts/debian.sh) || lacks "$base"
wheel=${1:-}
if [ -z "$wheel" ]; then
  wheel=$(scripts/wheel.sh) || { status=$? && echo "$wheel" && exit $status; }
  wheel=$(tail -n 1 <<<"$wheel")
fi

root=$TARGET/desk-image
archive=$TARGET/chess-desk-$version.oci.tar
rm -rf --one-file-system "$root"
mkdir -p "$root"
tar -C "$root" -xf "$base"
chmod 755 "$root"
mkdir "$root/wheels"
# The wheels must fit the Python of the image, which may be another one than this machine's.
python3 -m pip download -q --only-binary :all: --python-version "$(sed -n 's/^Version: \(3\.[0-9]*\).*/\1/p' <(apt-cache show python3))" \
  --platform manylinux_2_35_x86_64 --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_12_x86_64 \
  -d "$root/wheels" "$wheel" >&2 || lacks "pip cannot fetch what chess-desk needs"
rm -f "$root/etc/apt/sources.list"
find /etc/apt -maxdepth 2 \( -path '*/sources.list' -o -path '*/sources.list.d/debian*' \) -exec cp --parents {} "$root" \;
cp /etc/resolv.conf "$root/etc/"

# install_all: installs everything into the image; it runs in a mount namespace of its own, so its mounts end with it.
install_all() {
  mount --make-rprivate /
  mount -t proc proc "$ROOT_OF_IMAGE/proc"
  chroot "$ROOT_OF_IMAGE" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" sh -euc '
      apt() { apt-get -qq -y -o Dpkg::Options::=--force-unsafe-io "$@"; }
      apt update && apt upgrade && apt install --no-install-recommends python3 python3-venv || exit 3
      python3 -m venv /opt/chess-desk
      /opt/chess-desk/bin/pip -q install --no-compile --no-cache-dir --no-index --find-links /wheels /wheels/chess_desk-*.whl
      /opt/chess-desk/bin/pip -q uninstall -y setuptools pip
      # only the installation needed this
      apt purge --auto-remove python3-venv
      groupadd -g 1000 chess
      useradd -u 1000 -g 1000 -M -d /data -s /bin/sh chess
      install -d -o 1000 -g 1000 -m 700 /data
      apt clean
    '
}
export ROOT_OF_IMAGE=$root SOURCE_DATE_EPOCH
export -f install_all
unshare --mount --pid --fork bash -ec install_all >"$TARGET/desk-image.log" 2>&1 || {
  status=$?
  echo "the image cannot be made: $(tail -n 1 "$TARGET/desk-image.log")"
  exit $status
}

# The container's runtime provides some of these files, others depend on the day: without them the same commit gives the same bytes.
find "$root"/{dev,proc,sys,run,tmp,var/tmp,var/log,var/lib/apt/lists,var/cache} -xdev -mindepth 1 ! -type d -delete
find "$root" -xdev -name __pycache__ -prune -exec rm -r {} +
find "$root/usr/share/doc" ! -type d ! -name copyright -delete
rm -rf "$root"/{wheels,etc/resolv.conf,etc/hostname,etc/apt/sources.list,etc/apt/sources.list.d/*,usr/share/{man,info,locale,lintian}/*} "$root"/etc/{passwd,group,shadow,gshadow}- "$root"/var/lib/dpkg/*-old

oci_archive "$root" "$archive" "chess-desk:$version" '{"User":"1000:1000","WorkingDir":"/data","Volumes":{"/data":{}},"ExposedPorts":{"8765/tcp":{}},"StopSignal":"SIGTERM","Env":["PATH=/opt/chess-desk/bin:/usr/bin:/bin","HOME=/data","XDG_DATA_HOME=/data","LC_ALL=C.UTF-8","CHESS_DESK_LISTEN=0.0.0.0"],"Entrypoint":["chess-desk","--foreground","--no-browser"]}' --numeric-owner
echo "$archive"
