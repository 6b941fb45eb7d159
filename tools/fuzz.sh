#!/usr/bin/env bash
# Runs the fuzz targets with sanitizers, each for some time, and keeps the inputs that reach new code, minimised, in
# tests/fuzz/corpus/NAME. A crash is kept in build/fuzz/crashes and ends the run.
#
#   tools/fuzz.sh [SECONDS [NAME…]]     default: 600 seconds, all of them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-600}
shift || true
[ $# -gt 0 ] || set -- $(cd tests/fuzz && ls *.cpp | sed 's/\.cpp$//')

tools/setup.sh
[ -f build/fuzz/build.ninja ] || cmake --preset fuzz
cmake --build build/fuzz --target $(printf 'fuzz_%s ' "$@")
mkdir -p build/fuzz/crashes
for name in "$@"; do
    echo "fuzz: $name, $seconds s"
    found=build/fuzz/found/$name kept=tests/fuzz/corpus/$name
    mkdir -p "$found" "$kept"
    build/fuzz/fuzz_"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix=build/fuzz/crashes/"$name"- "$found" "$kept" 2>&1 | tail -8
    build/fuzz/fuzz_"$name" -merge=1 "$kept" "$found" 2>&1 | tail -1
done
