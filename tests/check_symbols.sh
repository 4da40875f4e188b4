#!/bin/sh
# check_symbols.sh LIBRARY - the shared library exports what the headers declare, and nothing else.
# SPDX-License-Identifier: Apache-2.0
set -eu
library=$1
headers=$(dirname "$0")/../include/segue
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
others=$(echo "$exported" | grep -v '^segue_' || true)
test -z "$others" || { echo "exported without the prefix:" $others; exit 1; }
# A declaration is SEGUE_API up to its parenthesis, on one line or two.
declared=$(cat "$headers"/*.h | tr '\n' ' ' | grep -o 'SEGUE_API [^;(]*(' |
    grep -o 'segue_[a-z0-9_]*($' | tr -d '(' | sort -u)
test "$exported" = "$declared" || {
    echo "exported and declared differ:"
    echo "$exported" > /tmp/exported.$$
    echo "$declared" | diff /tmp/exported.$$ - || true
    rm -f /tmp/exported.$$
    exit 1
}
