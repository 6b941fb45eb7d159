#!/usr/bin/env bash
# Sets up a Debian 12 machine for building Birdfoot: system packages, then DuckDB's library and headers, yyjson and
# CRoaring, each pinned by its SHA-256. What is there already is left alone; the second run does nothing.
#
#   tools/setup.sh            what the build needs
#   tools/setup.sh --tests    and what the tests need: a Python environment, and Spark (tools/setup_peers.sh)
#   tools/setup.sh --check    change nothing; say what is missing and exit 1 if something is
#
# BIRDFOOT_DEPS   where the dependencies are unpacked (default: build/deps)
# BIRDFOOT_VENV   where the Python environment is made (default: build/venv)
# PYTHON          the Python to make it with (default: python3)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=${BIRDFOOT_DEPS:-$root/build/deps}
venv=${BIRDFOOT_VENV:-$root/build/venv}
python=${PYTHON:-python3}

duckdb_version=1.5.5
npm_package=@duckdb/node-bindings-linux-x64@1.5.5-r.5
npm_sha=86d2bda909785550e8a14a57a8a4584827aff0e268d8f1a58c3fd48559f7020e
duckdb_sha=72f33ee57ca7595b23957671a2cc7f7fe2be0ecc2d68f63abedcfcaa3a5c1238
roaring_version=1.2.0
roaring_sha=e33bf8fc8d8aad7373f62147cb5dbfaf0fdcf19af8069d034cd8ef4fb41a78af
layout=1   # raise it when what is unpacked changes
pins="layout $layout
$npm_package $npm_sha
duckdb==$duckdb_version $duckdb_sha
pyroaring==$roaring_version $roaring_sha"

debian="build-essential g++ cmake ninja-build ccache libfmt-dev libcli11-dev libgtest-dev libedit-dev zlib1g-dev
 clang clang-format libclang-rt-14-dev python3-venv"

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }
twice() { "$@" || { say "trying once more: $1 $2"; sleep 2; "$@"; }; }

tests=0 check=0
for arg in "$@"; do
    case $arg in
        --tests) tests=1 ;;
        --check) check=1 ;;
        *) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done
[ "$(uname -sm)" = "Linux x86_64" ] || die "only Linux on x86-64 is supported: DuckDB's library is built for it"

missing_debian() {
    command -v dpkg-query >/dev/null || return 0
    local wanted=$debian
    command -v npm >/dev/null || wanted="$wanted npm"
    comm -23 <(printf '%s\n' $wanted | sort) \
             <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' | sort) |
        tr '\n' ' '
}

install_debian() {
    local missing sudo=
    missing=$(missing_debian)
    [ -n "$missing" ] || return 0
    [ $check = 0 ] || { say "missing Debian packages: $missing"; failed=1; return 0; }
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "please have these Debian packages installed, then run this again: $missing"
        sudo=sudo
    fi
    say "installing Debian packages: $missing"
    twice $sudo apt-get update -qq
    twice $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

verify() { # file, sha256
    local got
    got=$(sha256sum "$1" | cut -d' ' -f1)
    [ "$got" = "$2" ] || die "$(basename "$1") has SHA-256 $got, not the pinned $2: it is not unpacked"
}

fetch_deps() {
    [ "$(cat "$deps/.pins" 2>/dev/null)" != "$pins" ] || return 0
    [ $check = 0 ] || { say "missing in $deps: DuckDB $duckdb_version, yyjson or CRoaring"; failed=1; return 0; }
    command -v npm >/dev/null || die "npm is missing: DuckDB's library comes from an npm package"
    mkdir -p "$deps"
    tmp=$(mktemp -d "$deps/.fetch-XXXXXX")
    trap 'rm -rf "$tmp"' EXIT

    say "fetching libduckdb.so $duckdb_version ($npm_package, 24 MB)"
    mkdir "$tmp/npm" "$tmp/lib"
    (cd "$tmp/npm" && twice npm pack --silent "$npm_package" >/dev/null) || die "npm could not fetch $npm_package"
    verify "$tmp"/npm/*.tgz $npm_sha
    tar -xzf "$tmp"/npm/*.tgz -C "$tmp/lib" --strip-components=1 package/libduckdb.so package/LICENSE

    "$python" -m venv "$tmp/venv" || die "'$python -m venv' does not work: install python3-venv or set PYTHON"
    sdist() { # name, version, sha256
        say "fetching sources of $1 $2"
        mkdir "$tmp/$1"
        twice "$tmp/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary "$1" -d "$tmp/$1" \
            "$1==$2" || die "pip could not fetch $1==$2"
        verify "$tmp/$1/$1-$2.tar.gz" "$3"
        tar -xzf "$tmp/$1/$1-$2.tar.gz" -C "$tmp/$1"
    }
    sdist duckdb $duckdb_version $duckdb_sha
    local source=$tmp/duckdb/duckdb-$duckdb_version/external/duckdb
    mkdir "$tmp/headers" "$tmp/yyjson"
    (cd "$source" && find src/include extension/{parquet,json,core_functions}/include third_party \
        \( -name '*.h' -o -name '*.hpp' -o -name '*.tcc' -o -name '*.inc' \) -print0 |
        tar --null -T - -cf -) | tar -xf - -C "$tmp/headers"
    cp "$source/LICENSE" "$tmp/headers/"
    # yyjson as DuckDB carries it, in the namespace duckdb_yyjson. Its one DuckDB include is unused and is taken out.
    for file in "$source"/third_party/yyjson/{include/yyjson.hpp,yyjson.cpp,LICENSE}; do
        sed '/#include "duckdb\/common\/fast_mem.hpp"/d' "$file" >"$tmp/yyjson/$(basename "$file")"
    done
    sdist pyroaring $roaring_version $roaring_sha
    mkdir "$tmp/roaring"
    cp "$tmp"/pyroaring/pyroaring-$roaring_version/pyroaring/roaring.[ch] "$tmp/roaring/"

    rm -rf "$deps"/{lib,duckdb,yyjson,roaring}
    mv "$tmp/lib" "$tmp/yyjson" "$tmp/roaring" "$deps/"
    mv "$tmp/headers" "$deps/duckdb"
    printf '%s\n' "$pins" >"$deps/.pins"
    say "dependencies are in $deps"
}

make_venv() {
    local wanted=$root/tests/requirements.txt
    ! cmp -s "$wanted" "$venv/.requirements" || return 0
    [ $check = 0 ] || { say "missing: the tests' Python environment in $venv"; failed=1; return 0; }
    say "making the tests' Python environment in $venv"
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" ||
        die "'$python -m venv' does not work: install python3-venv or set PYTHON"
    twice "$venv/bin/pip" install -q --disable-pip-version-check -r "$wanted" || die "pip could not install $wanted"
    cp "$wanted" "$venv/.requirements"
}

failed=0
install_debian
fetch_deps
if [ $tests = 1 ]; then
    make_venv
    [ $check = 1 ] || BIRDFOOT_VENV=$venv PYTHON=$python "$root/tools/setup_peers.sh"
fi
exit $failed
