#!/bin/sh
# check_install.sh BUILD CMAKE - install into a folder of its own and build the examples against
# it, by pkg-config and by the CMake package, with the shared and the static library, and without any
# shared library.  Check the installed documentation, and the paths of it that the program prints.
# SPDX-License-Identifier: Apache-2.0
set -eu
build=$1 cmake=$2
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# DESTDIR stages the tree in another folder; --prefix alone would be enough, and is what PREFIX sets.
DESTDIR="$work/stage" "$cmake" --install "$build" --prefix /opt/segue > /dev/null
for file in bin/segue include/segue/segue.h share/segue/models/paper.csv \
    share/segue/experiments/lengths.json share/segue/logs/tutor.csv share/segue/segue-alerts.yml share/segue/segue-dashboard.json \
    share/segue/segue.logrotate share/segue/segue.service share/man/man1/segue-paper.1 share/man/man1/segue-run.1 \
    share/man/man1/segue-merge.1 \
    share/man/man1/segue.1 share/man/man7/segue-policies.7 share/man/man7/segue-results.7 \
    share/man/man3/segue.3 share/man/man3/segue_task_ask.3 \
    share/man/man7/segue-logs.7 share/man/man7/segue-models.7 share/man/man1/segue-estimate.1 \
    share/man/man1/segue-simulate.1 share/man/man1/segue-complexity.1 \
    share/bash-completion/completions/segue share/zsh/site-functions/_segue share/fish/vendor_completions.d/segue.fish \
    share/doc/segue/README.md share/doc/segue/LICENSE \
    share/doc/segue/CHANGELOG.md share/doc/segue/docs/service.md share/doc/segue/examples/one_task.c; do
    test -f "$work/stage/opt/segue/$file" || { echo "$file was not installed"; exit 1; }
done

"$cmake" --install "$build" --prefix "$work/prefix" > /dev/null
pc=$(find "$work/prefix" -name segue.pc)
lib=$(dirname "$(dirname "$pc")")
export LD_LIBRARY_PATH="$lib"
mkdir "$work/make"
PKG_CONFIG_PATH=$(dirname "$pc") make -s -C "$source/examples" OUT="$work/make"
"$cmake" -S "$source/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" > /dev/null
"$cmake" --build "$work/cmake" > /dev/null

for example in one_task many_tasks; do
    "$work/make/$example" > "$work/$example.out"
    for program in make/${example}_static make/${example}_alone cmake/${example} \
        cmake/${example}_shared cmake/${example}_static; do
        "$work/$program" | cmp - "$work/$example.out"
    done
    if ldd "$work/make/${example}_alone" > /dev/null 2>&1; then
        echo "make/${example}_alone, linked by pkg-config --static, needs shared libraries"
        exit 1
    fi
    ldd "$work/cmake/$example" | grep -q 'libsegue.so.0.2 => ' # segue::segue is the shared library
done

# Other libraries are named, not placed: another OpenBLAS may be installed elsewhere. A project in C++ alone links.
if grep -nE '[";]/[^";]*\.(so|a)\b' "$lib"/cmake/segue/*.cmake; then
    echo "the CMake package has the path of a library of this machine"
    exit 1
fi
mkdir "$work/cxx"
cat > "$work/cxx/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
find_package(segue REQUIRED)
foreach(kind segue shared static)
  add_executable(${kind} app.cpp)
  target_link_libraries(${kind} PRIVATE segue::${kind})
endforeach()
END
cat > "$work/cxx/app.cpp" << 'END'
#include <segue/segue.h>
#include <iostream>
int main()
{
    segue_learner *learner = nullptr;
    segue_learner_config config = segue_learner_defaults();
    config.n_arms = 2, config.horizon = 5;
    bool is_made = segue_learner_create(&learner, &config, nullptr) == SEGUE_OK;
    segue_learner_destroy(learner);
    std::cout << (is_made ? segue_version() : "no learner") << std::endl;
}
END
"$cmake" -S "$work/cxx" -B "$work/cxx" -DCMAKE_PREFIX_PATH="$work/prefix" > /dev/null
"$cmake" --build "$work/cxx" > /dev/null
version=$(sed -n 's/^project(segue VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
for program in segue shared static; do
    "$work/cxx/$program" | grep -qx "$version"
done

# The compiler's lines of the pages.
cp "$source/examples/one_task.c" "$work/app.c"
for page in library.md packages.md; do
    grep '^    cc ' "$source/docs/$page" > "$work/compile"
    (cd "$work" && PKG_CONFIG_PATH=$(dirname "$pc") sh -e compile && ./app | cmp - one_task.out)
done

grep -q '^page 3 was shown 1[0-9][0-9] times$' "$work/one_task.out"
grep -q '^good: all 2 eigenvalues' "$work/many_tasks.out"
ldd "$work/make/one_task" | grep -q 'libsegue.so.0.2 => '"$lib"
"$work/prefix/bin/segue" complexity --models "$work/prefix/share/segue/models/paper.csv" |
    grep -q '^average .*26.58  15.12  3.28$'

# Every link of the installed documents leads somewhere; headers are in include/segue.
cd "$work/prefix/share/doc/segue"
find . -name '*.md' > "$work/documents"
while read -r document; do
    grep -o '](\([^)#]*\)' "$document" | sed 's/^](//' | grep -v '^http\|^include/' > "$work/links" || true
    while read -r link; do
        test -e "$(dirname "$document")/$link" || { echo "$document: '$link' is not installed"; exit 1; }
    done < "$work/links"
done < "$work/documents"
cd "$work"

# The program says where its files and its documentation are, also if it is asked for them by the
# paths that the documentation uses.
segue="$work/prefix/bin/segue" share="$work/prefix/share"
"$segue" help > help.txt
grep -qF "$share/segue/experiments" help.txt && grep -qF "$share/segue/models" help.txt && grep -qF "$share/segue/logs" help.txt &&
    grep -qF "$share/doc/segue" help.txt || { cat help.txt; exit 1; }
cp "$segue" alone # without its files
./alone help | grep -q '^Files installed with segue: none; this program is outside its installation$'
for arguments in "run experiments/lengths.json" "simulate --models models/paper.csv" \
    "complexity --models=paper.csv" "replay logs/tutor.csv"; do
    if "$segue" $arguments 2> error.txt; then
        echo "segue $arguments: there is no such file here"
        exit 1
    fi
    grep -q "No such file or directory; try '$share/segue/[a-z]*/[a-z]*\.[a-z]*'" error.txt || { cat error.txt; exit 1; }
done
# The log commands of README find their files in the folder of the installed ones; test_docs.py runs whole replays.
grep '^    build/release/segue .*logs/' "$share/doc/segue/README.md" |
    sed -e 's:build/release/::' -e 's:segue replay logs/:segue replay --dry-run logs/:' > "$work/commands"
test -s "$work/commands"
(cd "$share/segue" && PATH="$work/prefix/bin:$PATH" sh -e "$work/commands" > "$work/commands.out" 2>&1) ||
    { cat "$work/commands.out"; exit 1; }
# The installed program finds the experiments that were installed with it.
if command -v gnuplot > /dev/null; then
    timeout 60 "$segue" paper --quick --quiet 2> paper.err &
    paper=$!
    until test -f segue-paper/data/lengths.json || ! kill -0 $paper 2> /dev/null; do sleep 0.1; done
    kill $paper 2> /dev/null || true
    wait $paper || true
    test -f "$work/segue-paper/data/lengths.json" || { cat "$work/paper.err"; exit 1; }
fi
