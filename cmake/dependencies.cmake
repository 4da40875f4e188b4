# dependencies.cmake - the libraries of others, grouped by the need that they serve.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
pkg_check_modules(GNUTLS REQUIRED IMPORTED_TARGET gnutls) # of libmicrohttpd
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(MPFR IMPORTED_TARGET mpfr) # of tests and benchmarks; left out where it is missing
# Our threads are the parallelism, so the serial OpenBLAS is preferred where there are several.
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-serial REQUIRED)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-serial REQUIRED)
if(SEGUE_MPI)
  find_package(MPI COMPONENTS C)
endif()

# segue_need(NAME LIBRARIES...): a group that folders and programs link with.
function(segue_need name)
  add_library(segue_need_${name} INTERFACE)
  target_link_libraries(segue_need_${name} INTERFACE ${ARGN})
endfunction()
segue_need(files PkgConfig::JANSSON PkgConfig::ZLIB PkgConfig::ZSTD)
segue_need(database PkgConfig::SQLITE PkgConfig::LIBPQ)
segue_need(http PkgConfig::MICROHTTPD PkgConfig::GNUTLS)
segue_need(client PkgConfig::CURL)
segue_need(crypto PkgConfig::SODIUM)
segue_need(mpi $<TARGET_NAME_IF_EXISTS:MPI::MPI_C>)
