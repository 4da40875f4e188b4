#!/bin/sh
# check_libm.sh FILES... - programs and shared libraries use no function of the C library's libm that rounds:
# its bits depend on the processor.  src/core/math has these functions.  What libm has is read from libm itself;
# functions whose result is exact by IEEE 754 or C11 are listed here.
# SPDX-License-Identifier: Apache-2.0
set -eu
exact=" ceil copysign fabs fdim floor fmax fmin fmod frexp ilogb ldexp llrint llround logb lrint lround modf
 nearbyint nextafter remainder rint round scalbln scalbn sqrt trunc "
exact=$(echo "$exact" | tr -s ' \n' ' ')
wrong=""
for file in "$@"; do
    libm=$(ldd "$file" | awk '$1 ~ /^libm\.so/ { print $3 }')
    [ -n "$libm" ] || continue
    has=$(nm -D --defined-only "$libm" | awk '{ sub(/@.*/, "", $3); print " " $3 " " }')
    for name in $(nm -D -u "$file" | awk '{ sub(/@.*/, "", $2); print $2 }'); do
        case "$has" in *" $name "*) ;; *) continue ;; esac
        case "$exact" in *" $name "*) ;; *) wrong="$wrong $(basename "$file"):$name" ;; esac
    done
done
test -z "$wrong" || { echo "inexact functions of libm, whose bits depend on the processor:$wrong"; exit 1; }
