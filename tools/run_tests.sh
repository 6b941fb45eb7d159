#!/usr/bin/env bash
# Runs every test of the project against one build folder: unit tests, pytest over tests/, then the shared corpus when
# there is one (BIRDFOOT_CORPUS, by default beside the repository). The last line is `N passed, M failed`.
#
#   tools/run_tests.sh [build/release]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
python=${BIRDFOOT_VENV:-$root/build/venv}/bin/python
corpus=${BIRDFOOT_CORPUS:-$root/../shared/corpus}
export BIRDFOOT_BUILD=$build TZ=UTC
passed=0 failed=0

for tests in birdfoot_unit birdfoot_duckdb_tests; do
    [ -x "$build/$tests" ] || continue
    log=$build/$tests.log
    "$build/$tests" --gtest_brief=1 2>&1 | tee "$log" || true
    ok=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\{0,1\}\..*/\1/p' "$log" | head -1)
    bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) tests\{0,1\}.*/\1/p' "$log" | head -1)
    passed=$((passed + ${ok:-0}))
    failed=$((failed + ${bad:-0}))
    [ -n "$ok" ] || failed=$((failed + 1))
done

if find "$root/tests" -name 'test_*.py' | grep -q .; then
    log=$build/pytest.log
    status=0
    "$python" -m pytest "$root/tests" -q 2>&1 | tee "$log" || status=$?
    ok=$(grep -oE '[0-9]+ passed' "$log" | tail -1 | cut -d' ' -f1)
    bad=$(tail -1 "$log" | grep -oE '[0-9]+ (failed|error)' | awk '{sum += $1} END {print sum + 0}')
    passed=$((passed + ${ok:-0}))
    failed=$((failed + ${bad:-0}))
    if [ "$status" != 0 ] && [ "${bad:-0}" = 0 ]; then failed=$((failed + 1)); fi
fi

if [ -f "$corpus/run_corpus.py" ]; then
    log=$build/corpus.log
    "$python" "$corpus/run_corpus.py" --product "$build/birdfoot sql --format json" --jobs "$(nproc)" \
        --strict-errors --skip-uncertain >"$log" 2>&1 || true
    grep '^FAIL' "$log" || true
    tail -1 "$log"
    ok=$(sed -n 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p' "$log" | tail -1)
    bad=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$log" | tail -1)
    passed=$((passed + ${ok:-0}))
    failed=$((failed + ${bad:-1}))
else
    echo "left out: the shared corpus (there is none at $corpus; BIRDFOOT_CORPUS names another place)"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
