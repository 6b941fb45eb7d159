#!/usr/bin/env bash
# Runs every test of the project against one build folder: unit tests, pytest over tests/ (tests/interop, which mostly waits
# for Spark, beside the others), then the shared corpus when there is one (BIRDFOOT_CORPUS, by default beside the
# repository). A step whose inputs (what was built, the tests, the corpus) are those of its last good run is not repeated:
# FRESH=1 repeats it. The last line is `N passed, M failed`.
#
#   tools/run_tests.sh [build/release]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
python=${BIRDFOOT_VENV:-$root/build/venv}/bin/python
corpus=${BIRDFOOT_CORPUS:-$root/../shared/corpus}
export BIRDFOOT_BUILD=$build TZ=UTC
passed=0 failed=0

# What a step depends on, in one number: the content of files, or name, size and time where content is much.
fingerprint_files() { cat "$@" | sha256sum | cut -d' ' -f1; }
fingerprint_tree() {
    find "$@" -type f -not -path '*/__pycache__/*' -printf '%P %s %T@\n' | sort | sha256sum | cut -d' ' -f1
}

# passed_before NAME FINGERPRINT: whether the step's last run was good, on the same inputs.
passed_before() { [ -z "${FRESH:-}" ] && [ "$(sed -n 1p "$build/.tested-$1" 2>/dev/null)" = "$2" ]; }

# step NAME FINGERPRINT COMMAND…: the command writes its log to stdout and sets ok and bad.
step() {
    local name=$1 inputs=$2 stamp=$build/.tested-$1
    shift 2
    if passed_before "$name" "$inputs"; then
        ok=$(sed -n 2p "$stamp") bad=0
        echo "$name: $ok passed before; nothing that they depend on has changed"
    else
        rm -f "$stamp"
        ok=0 bad=0
        echo "$name:"
        "$@"
        if [ "$bad" = 0 ]; then printf '%s\n' "$inputs" "$ok" >"$stamp"; fi
    fi
    passed=$((passed + ok)) failed=$((failed + bad))
}

number() { grep -oE "$1" "$2" | tail -1 | grep -oE '[0-9]+' | head -1 || true; }

# A program of GoogleTest's.
run_gtest() {
    local log=$build/$(basename "$1").log status=0
    "$1" --gtest_brief=1 2>&1 | tee "$log" || status=$?
    ok=$(number '^\[  PASSED  \] [0-9]+ tests?' "$log")
    bad=$(number '^ ?[0-9]+ FAILED TESTS?' "$log")
    ok=${ok:-0} bad=${bad:-0}
    if [ $status != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
}

run_python() { (cd "$root" && exec "$python" -m pytest "$@" -q -rs -p no:cacheprovider) 2>&1; }

# judge_python LOG STATUS
judge_python() {
    ok=$(number '[0-9]+ passed' "$1")
    bad=$({ tail -1 "$1" | grep -oE '[0-9]+ (failed|errors?)' || true; } | awk '{sum += $1} END {print sum + 0}')
    ok=${ok:-0}
    if [ "$2" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
}

run_pytest() {
    local status=0
    run_python tests --ignore=tests/interop | tee "$build/pytest.log" || status=$?
    judge_python "$build/pytest.log" $status
}

# Of the run that was begun in the background.
run_interop() {
    local status=0
    wait "$interop" || status=$?
    interop=
    cat "$build/interop.log"
    judge_python "$build/interop.log" $status
}

run_replay() {
    local log=$build/fuzz_replay.log status=0
    "$build/birdfoot_fuzz_replay" "$root/tests/fuzz/corpus" >"$log" 2>&1 || status=$?
    tr '\r' '\n' <"$log" | sed 's,\x1b\[K,,' | tail -1
    ok=$(number '[0-9]+ inputs replayed' "$log")
    ok=${ok:-0}
    if [ $status != 0 ]; then bad=1; fi
}

run_corpus() {
    local log=$build/corpus.log
    "$python" "$corpus/run_corpus.py" --product "$build/birdfoot sql --format json" --jobs "$(nproc)" \
        --strict-errors --skip-uncertain >"$log" 2>&1 || true
    ok=$(number '^[0-9]+ passed, [0-9]+ failed$' "$log")
    ok=${ok:-0}
    # Cases that are known not to work are listed with their reason; one that is not listed, or one that is and passes, is a
    # failure.
    grep -E '^FAIL' "$log" | awk '{sub(/:$/, "", $2); print $2}' | sort >"$build/corpus.failed" || true
    sed -n '/^#/!s/  # .*//p' "$root/tests/golden/corpus_gaps.txt" | sort >"$build/corpus.gaps"
    comm -3 "$build/corpus.failed" "$build/corpus.gaps" >"$build/corpus.unexpected"
    sed 's/^\t/passes although it is listed: /; s/^[^p\t].*/FAIL &/' "$build/corpus.unexpected"
    echo "$(tail -1 "$log"), $(wc -l <"$build/corpus.gaps") of them known"
    bad=$(wc -l <"$build/corpus.unexpected")
    [ "$ok" != 0 ] || bad=1
}

for program in birdfoot_unit birdfoot_duckdb_tests; do
    if [ -x "$build/$program" ]; then
        step "$program" "$(fingerprint_files "$build/$program")" run_gtest "$build/$program"
    fi
done
if [ -d "$root/tests/fuzz/corpus" ]; then
    step fuzz_replay "$(fingerprint_files "$build/birdfoot_fuzz_replay") $(fingerprint_tree "$root/tests/fuzz/corpus")" \
        run_replay
fi
product=$(fingerprint_files "$build/birdfoot" "$build/birdfoot.duckdb_extension" "$root/tests/requirements.txt")
tests="$product $(fingerprint_tree "$root/tests" "$root/src/python" "$root/docs" "$root/examples") $(
    fingerprint_files "$root/README.md" "$root/pyproject.toml" "$root/tools/wheel_backend.py")"
interop=
if ! passed_before interop "$tests"; then
    run_python tests/interop >"$build/interop.log" &
    interop=$!
    trap '[ -z "$interop" ] || kill "$interop" 2>/dev/null' EXIT
fi
step pytest "$tests" run_pytest
step interop "$tests" run_interop
if [ -f "$corpus/run_corpus.py" ]; then
    step corpus "$product $(fingerprint_tree "$corpus")" run_corpus
else
    echo "left out: the shared corpus (there is none at $corpus; BIRDFOOT_CORPUS names another place)"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
