#!/usr/bin/env bash
# make bench: every bar of the project, side by side with the peers, in one run. Figures only; nothing here passes or fails.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export BIRDFOOT_BUILD=${1:-$root/build/release} PYTHONPATH=$root/tests/support TZ=UTC
case $BIRDFOOT_BUILD in /*) ;; *) BIRDFOOT_BUILD=$root/$BIRDFOOT_BUILD ;; esac
cd "$root"
python=${BIRDFOOT_VENV:-$root/build/venv}/bin/python
echo "$(nproc) cores, $(free -g | awk '/^Mem/ {print $2}') GB"
for bench in tpch append big_log dml; do
    echo
    "$python" "bench/$bench.py"
done
