# folders.cmake - one object library per folder of src/.
#
# Each folder has an include directory of its own, build/include/NAME, in which NAME is a link to
# src/NAME.  A folder gets the include directories of the folders that it may use and no others, so
# a forbidden #include does not compile.  All .c files of a folder belong to it.

# segue_folder(NAME): the object library segue_NAME and the headers' target segue_NAME_headers.
function(segue_folder name)
  set(include ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${include})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${include}/${name} SYMBOLIC)
  add_library(segue_${name}_headers INTERFACE)
  target_include_directories(segue_${name}_headers INTERFACE ${include})

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  if(MPI_C_FOUND) # one of the two ways to start processes
    list(FILTER sources EXCLUDE REGEX processes_single)
  else()
    list(FILTER sources EXCLUDE REGEX processes_mpi)
  endif()
  add_library(segue_${name} OBJECT ${sources})
  target_link_libraries(segue_${name} PRIVATE segue_${name}_headers)
  target_include_directories(segue_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
endfunction()

# segue_library_folder(NAME USES FOLDERS...): a folder of libsegue.
function(segue_library_folder name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  segue_folder(${name})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(segue_${name} PRIVATE segue_${used}_headers)
    # A header may include "../core/bytes.h"; ninja shortens that path as text, and would not find it.
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${used} ${PROJECT_BINARY_DIR}/include/${name}/${used} SYMBOLIC)
  endforeach()
endfunction()

# segue_program_folder(NAME USES FOLDERS... LINKS NEEDS...): a folder of the program.  It sees of the
# library the public headers and segue/internal.h.
function(segue_program_folder name)
  cmake_parse_arguments(arg "" "" "USES;LINKS" ${ARGN})
  segue_library_folder(${name} USES ${arg_USES})
  target_include_directories(segue_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/internal)
  set_property(TARGET segue_${name} PROPERTY SEGUE_NEEDS ${arg_LINKS})
  foreach(need IN LISTS arg_LINKS)
    target_link_libraries(segue_${name} PRIVATE segue_need_${need})
  endforeach()
endfunction()

# segue_add_program_folders(TARGET FOLDERS...): link a program with folders, their needs and libsegue.
function(segue_add_program_folders target)
  foreach(folder IN LISTS ARGN)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:segue_${folder}>)
    get_property(needs TARGET segue_${folder} PROPERTY SEGUE_NEEDS)
    foreach(need IN LISTS needs)
      target_link_libraries(${target} PRIVATE segue_need_${need})
    endforeach()
  endforeach()
  target_link_libraries(${target} PRIVATE segue_static)
endfunction()

# segue_see_all(TARGET): tests and benchmarks may include every header.
function(segue_see_all target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/internal)
  foreach(folder IN LISTS library_folders program_folders)
    target_link_libraries(${target} PRIVATE segue_${folder}_headers)
  endforeach()
endfunction()
