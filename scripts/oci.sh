# Sourced by scripts that make images for containers, and by their tests. Out: oci_archive, oci_named, the version, the date, and
# the architecture as images name it. No container runtime is needed, and the same files give the same bytes.
# shellcheck shell=bash

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
# the date of the commit, so that builds are reproducible
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
case $(uname -m) in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) architecture=$(uname -m) ;;
esac

# oci_archive TREE ARCHIVE NAME CONFIG [OPTION...]: packs the files of a directory as an image of one layer. CONFIG, in JSON, is
# what a container starts with. All files belong to root, unless options of tar say otherwise.
oci_archive() (
  work=$(mktemp -d "$TARGET/image-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  blobs=$work/blobs/sha256
  mkdir -p "$blobs"
  pack() { tar --sort=name --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=ustar "$@"; }
  root=(--owner=0 --group=0)
  # blob TYPE: stores standard input in a file named by its digest, as OCI archives have them, and prints its descriptor
  blob() {
    local digest
    cat >"$work/blob"
    digest=$(sha256sum <"$work/blob" | cut -d ' ' -f 1)
    mv "$work/blob" "$blobs/$digest"
    printf '{"mediaType":"%s","digest":"sha256:%s","size":%d' "$1" "$digest" "$(stat -c %s "$blobs/$digest")"
  }
  # digest_of DESCRIPTOR
  digest_of() { sed 's/.*"sha256:\(\w*\)".*/\1/' <<<"$1"; }
  [ $# -gt 4 ] || set -- "$@" "${root[@]}"
  (cd "$1" && LC_ALL=C ls -A) | pack "${@:5}" -C "$1" -cf "$work/layer" -T -
  files=$(sha256sum <"$work/layer" | cut -d ' ' -f 1)
  layer=$(gzip -n <"$work/layer" | blob application/vnd.oci.image.layer.v1.tar+gzip)
  config=$(printf '{"created":"%s","architecture":"%s","os":"linux","config":%s,"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" "$architecture" "$4" "$files" | blob application/vnd.oci.image.config.v1+json)
  manifest=$(printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s},"layers":[%s}],"annotations":{%s,%s,%s}}' \
    "$config" "$layer" "\"org.opencontainers.image.title\":\"${3%%:*}\"" "\"org.opencontainers.image.version\":\"$version\"" \
    '"org.opencontainers.image.licenses":"GPL-3.0-or-later"' | blob application/vnd.oci.image.manifest.v1+json)
  printf '{"schemaVersion":2,"manifests":[%s,"annotations":{"org.opencontainers.image.ref.name":"%s"}}]}' "$manifest" "$3" >"$work/index.json"
  printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
  # older versions of docker load do not read index.json, but this file
  printf '[{"Config":"blobs/sha256/%s","RepoTags":["%s"],"Layers":["blobs/sha256/%s"]}]' \
    "$(digest_of "$config")" "$3" "$(digest_of "$layer")" >"$work/manifest.json"
  rm "$work/layer"
  pack "${root[@]}" -C "$work" -cf "$2" oci-layout index.json manifest.json blobs
)

# oci_named DIR KEY FILE: the blob that a file of an unpacked archive names under a key
oci_named() {
  perl -MJSON::PP -0777 -e 'my ($root, $key, $file) = @ARGV; open my $in, "<", $file or die; my $json = decode_json(<$in>);
    my $named = $json->{$key}; $named = $named->[0] if ref $named eq "ARRAY";
    my ($digest) = $named->{digest} =~ /^sha256:(\w+)$/ or die; my $blob = "$root/blobs/sha256/$digest";
    -s $blob == $named->{size} or die "size of $blob"; print $blob' "$@"
}
