#!/bin/sh
# check_headers.sh - every public header compiles alone, as C11 and as C++17.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../include"
for header in segue/*.h; do
    echo "#include \"$header\"" | gcc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -I. \
        -fsyntax-only -xc - || { echo "$header does not compile as C11"; exit 1; }
    echo "#include \"$header\"" | g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror -I. \
        -fsyntax-only -xc++ - || { echo "$header does not compile as C++17"; exit 1; }
done
