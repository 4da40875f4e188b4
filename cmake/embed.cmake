# Files to a C source: cmake -DOUT=FILE.c "-DFILES=/path=type=file;..." -P embed.cmake
# Each becomes an asset of the service (src/serve/routes.h): its path in URLs, its type, its bytes.
set(arrays "")
set(table "")
set(i 0)
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]*)=([^=]*)=(.*)$" parts "${entry}")
  set(path "${CMAKE_MATCH_1}")
  set(type "${CMAKE_MATCH_2}")
  file(READ "${CMAKE_MATCH_3}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
         bytes "${bytes}")
  string(APPEND arrays "static const unsigned char data_${i}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${path}\", \"${type}\", data_${i}, sizeof data_${i} - 1},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE "${OUT}" "/* made by cmake/embed.cmake */\n#include \"serve/routes.h\"\n\n${arrays}\n"
     "const segue_asset segue_assets[] = {\n${table}};\nconst size_t segue_n_assets = ${i};\n")
