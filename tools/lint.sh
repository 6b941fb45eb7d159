#!/usr/bin/env bash
# Format, layers, sizes. `tools/lint.sh --fix` formats in place.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
failed=0

mapfile -t sources < <(git ls-files --cached --others --exclude-standard | grep -E '\.(cpp|hpp)$')
if [ "${1:-}" = --fix ]; then
    clang-format -i "${sources[@]}"
elif ! clang-format --dry-run -Werror --ferror-limit=3 "${sources[@]}"; then
    echo "format: run tools/lint.sh --fix"
    failed=1
fi
python3 tools/check_layers.py || failed=1
exit $failed
