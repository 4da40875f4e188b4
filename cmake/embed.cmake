# embed.cmake - the files of the pages as C arrays, with their types and the sums of their bytes.
#
#     cmake -DOUT=pages_data.c "-DFILES=web/index.html;web/app.js;more/x.js=build/x.js" -P cmake/embed.cmake
#
# index.html is the page "/"; every other file is "/" and its name, or "/" and what stands before "=".
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_json "application/json")
set(type_csv "text/csv; charset=utf-8")
set(type_wasm "application/wasm")

set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  if(file MATCHES "^([^=]*)=(.*)$")
    set(name "${CMAKE_MATCH_1}")
    set(file "${CMAKE_MATCH_2}")
  endif()
  get_filename_component(ending "${file}" LAST_EXT)
  string(SUBSTRING "${ending}" 1 -1 ending)
  if(NOT DEFINED type_${ending})
    message(FATAL_ERROR "${file}: no content type is known for .${ending}; add it to cmake/embed.cmake")
  endif()
  string(REGEX REPLACE "(^|/)index.html$" "\\1" path "${name}")
  file(SHA256 "${file}" sum)
  string(SUBSTRING "${sum}" 0 32 sum)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char data_${number}[] = {${bytes}}; /* ${name} */\n")
  string(APPEND table "    {.path = \"/${path}\", .type = \"${type_${ending}}\", .etag = \"\\\"${sum}\\\"\",\n"
                      "     .data = data_${number}, .size = sizeof data_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUT}" "/* Made by cmake/embed.cmake. */\n#include \"service/api/http/static_files.h\"\n\n${arrays}\n"
                    "const segue_static_file segue_static_files[] = {\n${table}};\n"
                    "const size_t segue_n_static_files = ${number};\n")
