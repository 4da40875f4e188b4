#!/bin/sh
# check_headers.sh - every public header compiles alone, as C11 and as strict C++14; all of them do as
# C++11 and C++17 too, and with clang where it is installed.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../include"

compile() { # COMPILER LANGUAGE STANDARD HEADER
    command -v "$1" > /dev/null || return 0
    echo "#include \"$4\"" | "$1" -std="$3" -Wall -Wextra -Wpedantic -Wconversion -Werror -I. \
        -fsyntax-only -x"$2" - || { echo "$4 does not compile as $3 with $1"; exit 1; }
}

for header in segue/*.h; do
    compile gcc c c11 "$header"
    compile g++ c++ c++14 "$header"
done
compile clang c c11 segue/segue.h
for standard in c++11 c++14 c++17; do
    compile g++ c++ $standard segue/segue.h
    compile clang++ c++ $standard segue/segue.h
done
