#!/bin/sh
# check_scripts.sh CTEST - `make` and the scripts behind it: scripts/install-deps where packages are missing,
# and scripts/run-tests, which says why tests were skipped.  Nothing is installed: apt-get, dpkg-query
# and id are scripts of this test, which say what the real ones do.
# SPDX-License-Identifier: Apache-2.0
set -eu
ctest=$1
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "check_scripts: $1"
    cat out
    exit 1
}

# ---- install-deps: a folder of commands in which gcc and cmake are not installed ------------------
mkdir bin
for tool in sh awk cat env mktemp rm tee; do
    ln -s "$(command -v $tool)" "bin/$tool"
done
script() { # NAME: the script on the standard input
    { echo '#!/bin/sh'; cat; } > "bin/$1"
    chmod +x "bin/$1"
}
script dpkg-query << 'END'
for last; do :; done
case $last in gcc | cmake) exit 1 ;; esac
printf installed
END
script id << 'END'
echo "${FAKE_USER:-0}"
END
script apt-get << 'END'
[ "$2" = install ] || {
    echo 'Get:1 http://mirror.example/debian bookworm InRelease [151 kB]'
    echo 'Get:2 http://mirror.example/debian bookworm/main amd64 Packages [8793 kB]'
    exit 0
}
[ -z "${FAKE_FAILURE:-}" ] || { echo 'E: Unable to locate package gcc'; exit 100; }
echo 'Reading package lists...'
echo 'Get:1 http://mirror.example/debian bookworm/main amd64 gcc-12 amd64 12.2.0-14 [19.3 MB]'
echo 'Get:2 http://mirror.example/debian bookworm/main amd64 cmake amd64 3.25.1-1 [8692 kB]'
echo 'Unpacking gcc-12 (12.2.0-14) ...'
echo 'Setting up gcc-12 (12.2.0-14) ...'
echo 'Setting up cmake (3.25.1-1) ...'
END
deps() { # the exit code goes to `code`
    code=0
    env PATH="$work/bin" "$@" "$source/scripts/install-deps" > out 2>&1 || code=$?
}

deps
test $code = 0 || fail "install-deps fails as root"
for line in 'install-deps: installing gcc cmake, and' '  fetch  gcc-12' '  fetch  cmake' '  unpack gcc-12' '  set up gcc-12' '  set up cmake'; do
    grep -qF "$line" out || fail "install-deps does not say '$line'"
done
! grep -q 'Unpacking\|Reading\|kB\|  Packages\|151' out || fail "install-deps says too much"

deps FAKE_USER=1000
test $code = 1 || fail "install-deps as an ordinary user without sudo ends with $code; need 1"
grep -q '^    apt-get update && apt-get install --no-install-recommends gcc cmake$' out || fail "no line to paste"
grep -q 'then run make again' out || fail "no next step"

deps FAKE_FAILURE=1
test $code = 1 || fail "install-deps ends with $code where apt-get fails; need 1"
grep -q 'E: Unable to locate package gcc' out || fail "install-deps hides why apt-get fails"
grep -q "'apt-get install' failed" out && grep -q 'apt-get install --no-install-recommends gcc cmake' out ||
    fail "install-deps does not say what failed"

# ---- make install: root's loader learns of the new library, unless the files are only staged -------
script cmake << 'END'
END
script ldconfig << 'END'
echo ldconfig was run
END
ln -s "$(command -v make)" bin/make
install() { # ARGUMENTS of make and settings; the files of the build are not touched
    env PATH="$work/bin" "$@" > out 2>&1 || fail "make install fails"
}
install make -C "$source" -o build install
grep -q 'ldconfig was run' out || fail "make install by root does not run ldconfig"
install make -C "$source" -o build install DESTDIR=/stage
! grep -q 'ldconfig was run' out || fail "make install runs ldconfig for files that are only staged"
install FAKE_USER=1000 make -C "$source" -o build install PREFIX=/home/user
! grep -q 'ldconfig was run' out || fail "make install by an ordinary user runs ldconfig"
# make run builds the program alone.
env PATH="$work/bin:$PATH" make -n -C "$source" run > out 2>&1
grep -q 'cmake --build .* --target segue$' out || fail "make run does not build the program"
! grep 'cmake --build' out | grep -v -- '--target segue$' || fail "make run builds more than the program"

# ---- run-tests -----------------------------------------------------------------------------------
mkdir build
cat > unit.py << 'END'
import sys, unittest
sys.argv = ["unit.py", "none", "none"]
sys.path.insert(0, TESTS)
import program
class T(unittest.TestCase):
    def test_one(self):
        pass
    @unittest.skip("no such thing here")
    def test_two(self):
        pass
unittest.main(argv=["unit.py"])
END
sed -i "s|TESTS|'$source/tests'|" unit.py
cat > build/CTestTestfile.cmake << END
add_test(passes true)
add_test(whole sh -c "echo 'skipped: nothing to see'; exit 77")
set_tests_properties(whole PROPERTIES SKIP_RETURN_CODE 77)
add_test(part /usr/bin/python3 $work/unit.py)
END
summary() {
    code=0
    "$source/scripts/run-tests" build "$ctest" --test-dir build > out 2>&1 || code=$?
}
summary
test $code = 0 || fail "run-tests ends with $code; need 0"
grep -q '^100% tests passed' out || fail "the last lines of ctest are missing"
grep -q '^  whole: nothing to see$' out || fail "the reason of a skipped test is missing"
grep -q '^  part: T.test_two: no such thing here$' out || fail "the reason of a part of a test is missing"
echo 'add_test(fails false)' >> build/CTestTestfile.cmake
summary
test $code = 8 || fail "run-tests ends with $code; need ctest's 8"
grep -q '^  whole: nothing to see$' out || fail "no reason where a test failed"
grep -q 'scripts/run-tests' "$source/Makefile" || fail "make test does not use run-tests"

# ---- CI skips no test for want of a tool: it sets each variable that makes such a test fail ---------
for variable in $(grep -rhoE --include=*.py 'SEGUE_REQUIRE_[A-Z]+' "$source/tests" "$source/bindings" | sort -u); do
    grep -q "^export $variable=1" "$source/.ci/run" || fail ".ci/run does not set $variable"
done
for set in "" 1; do
    code=0
    env PATH="$work/bin" SEGUE_REQUIRE_BROWSER=$set /usr/bin/python3 "$source/tests/test_report.py" none none > out 2>&1 || code=$?
    test "$code" = "${set:-77}" || fail "without Chromium, with SEGUE_REQUIRE_BROWSER='$set', a test ends with $code"
    grep -q "'scripts/install-deps browser'" out || fail "the test does not say how to install Chromium"
done
