#!/usr/bin/env bash
# make demo: three million flights (npm's vega-datasets) become a Delta table, in a minute.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/release}
python=${BIRDFOOT_VENV:-$root/build/venv}/bin/python
package=vega-datasets@3.2.1
sha=6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3
flights=$root/build/demo/flights-3m.parquet

if [ ! -f "$flights" ]; then
    echo "fetching the flights ($package)"
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    (cd "$tmp" && { npm pack --silent "$package" || npm pack --silent "$package"; } >/dev/null)
    echo "$sha  $(ls "$tmp"/*.tgz)" | sha256sum --check --quiet
    mkdir -p "$(dirname "$flights")"
    tar -xzf "$tmp"/*.tgz -C "$tmp" package/data/flights-3m.parquet
    mv "$tmp/package/data/flights-3m.parquet" "$flights"
fi
exec "$python" "$root/bench/demo.py" "$build" "$flights" "$root/build/demo/flights"
