# playground.cmake - the playground: the library as WebAssembly and its pages, as a folder that any web server
# can serve (build/.../playground), embedded into the program too.
#
# It needs emscripten, hundreds of MB, so it is left out unless SEGUE_PLAYGROUND is on: `make playground`
# (docs/adr/0075). Then one page says how to build it.
option(SEGUE_PLAYGROUND "Build the playground for browsers (needs emscripten)" OFF)

# SEGUE_PLAYGROUND_FILES: what embed.cmake takes; SEGUE_PLAYGROUND_SOURCES: what it is made of.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/playground)
if(NOT SEGUE_PLAYGROUND)
  set(SEGUE_PLAYGROUND_SOURCES ${PROJECT_SOURCE_DIR}/web/playground/missing.html)
  set(SEGUE_PLAYGROUND_FILES playground=${SEGUE_PLAYGROUND_SOURCES} playground/index.html=${SEGUE_PLAYGROUND_SOURCES})
  return()
endif()

find_program(EMCC emcc REQUIRED DOC "emscripten's compiler: 'scripts/install-deps playground' installs it")
find_file(EMSCRIPTEN_TOOLCHAIN cmake/Modules/Platform/Emscripten.cmake PATHS /usr/share/emscripten REQUIRED)
set(wasm ${CMAKE_CURRENT_BINARY_DIR}/wasm)
# Debian's emscripten finds its JavaScript libraries by NODE_PATH. It has a compiler of its own, so the variables
# of this build's compiler do not concern it.
set(emscripten ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs --unset=CC --unset=CFLAGS --unset=LDFLAGS)
file(GLOB_RECURSE wasm_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/wasm/* ${PROJECT_SOURCE_DIR}/include/*.h)
foreach(name core bandit estimate theory transfer sim io replay)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.[ch])
  list(APPEND wasm_sources ${found})
endforeach()
add_custom_command(OUTPUT ${wasm}/segue.js ${wasm}/segue.wasm
                   COMMAND ${emscripten} ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/bindings/wasm -B ${wasm} -G Ninja
                           -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE=${EMSCRIPTEN_TOOLCHAIN}
                   COMMAND ${emscripten} ${CMAKE_COMMAND} --build ${wasm}
                   DEPENDS ${wasm_sources} ${PROJECT_SOURCE_DIR}/src/core/version.c.in
                   USES_TERMINAL COMMENT "Building the playground's WebAssembly" VERBATIM)

# The pages share some files with the dashboard, and show model sets of models/.
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/playground/*)
list(FILTER pages EXCLUDE REGEX "/(missing\\.html|playground\\.html|redirect\\.js)$")
foreach(shared style.css icon.svg dom.js format.js heat.js)
  list(APPEND pages ${PROJECT_SOURCE_DIR}/web/${shared})
endforeach()
foreach(set paper testable uniform)
  list(APPEND pages ${PROJECT_SOURCE_DIR}/models/${set}.csv)
endforeach()
list(APPEND pages ${wasm}/segue.js ${wasm}/segue.wasm)
add_custom_command(OUTPUT ${folder}/segue.wasm
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
                   COMMAND ${CMAKE_COMMAND} -E copy ${pages} ${folder}
                   DEPENDS ${pages} COMMENT "Collecting the playground" VERBATIM)
add_custom_target(playground ALL DEPENDS ${folder}/segue.wasm)

set(redirect ${PROJECT_SOURCE_DIR}/web/playground)
set(SEGUE_PLAYGROUND_SOURCES ${pages} ${redirect}/playground.html ${redirect}/redirect.js)
set(SEGUE_PLAYGROUND_FILES playground=${redirect}/playground.html playground/redirect.js=${redirect}/redirect.js)
foreach(page IN LISTS pages)
  get_filename_component(name ${page} NAME)
  list(APPEND SEGUE_PLAYGROUND_FILES playground/${name}=${page})
endforeach()
