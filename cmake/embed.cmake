# embed.cmake - the files of the pages as C arrays, with their types and the sums of their bytes; and compressed by
# gzip those that this makes smaller.
#
#     cmake -DOUT=pages_data.c "-DFILES=web/index.html;web/app.js;more/x.js=build/x.js" -P cmake/embed.cmake
#
# index.html is the page "/"; every other file is "/" and its name, or "/" and what stands before "=".
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
find_program(GZIP gzip REQUIRED)

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_json "application/json")
set(type_csv "text/csv; charset=utf-8")
set(type_wasm "application/wasm")

# Set `out` to the bytes of a file as elements of an array.
function(read_bytes out file)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

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
  execute_process(COMMAND "${GZIP}" -9nc "${file}" OUTPUT_FILE "${OUT}.gz" COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE "${file}" size)
  file(SIZE "${OUT}.gz" gzip_size)
  read_bytes(bytes "${file}")
  set(gzip "")
  if(gzip_size LESS size)
    read_bytes(gzip_bytes "${OUT}.gz")
    string(APPEND arrays "static const unsigned char gzip_data_${number}[] = {${gzip_bytes}};\n"
                         "static const segue_static_file gzip_${number} = {\n"
                         "    .path = \"/${path}\", .type = \"${type_${ending}}\", .etag = \"\\\"${sum}-gzip\\\"\", .encoding = \"gzip\",\n"
                         "    .data = gzip_data_${number}, .size = sizeof gzip_data_${number}};\n")
    set(gzip ", .gzip = &gzip_${number}")
  endif()
  string(APPEND arrays "static const unsigned char data_${number}[] = {${bytes}}; /* ${name} */\n")
  string(APPEND table "    {.path = \"/${path}\", .type = \"${type_${ending}}\", .etag = \"\\\"${sum}\\\"\",\n"
                      "     .data = data_${number}, .size = sizeof data_${number}${gzip}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(REMOVE "${OUT}.gz")
file(WRITE "${OUT}" "/* Made by cmake/embed.cmake. */\n#include \"service/api/http/static_files.h\"\n\n${arrays}\n"
                    "const segue_static_file segue_static_files[] = {\n${table}};\n"
                    "const size_t segue_n_static_files = ${number};\n")
