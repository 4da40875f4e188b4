# What `make install` installs: the program, both libraries, headers, manual, documentation, completions.
include(CMakePackageConfigHelpers)

install(TARGETS segue RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS segue_shared segue_static EXPORT segue
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/segue DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES models/paper.csv models/probes.csv models/testable.csv models/uniform.csv DESTINATION ${CMAKE_INSTALL_DATADIR}/segue/models)
install(DIRECTORY experiments logs DESTINATION ${CMAKE_INSTALL_DATADIR}/segue)
install(FILES completions/segue.bash RENAME segue
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_segue DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/segue.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES contrib/prometheus.yml contrib/segue-access-log.conf contrib/segue-alerts.yml contrib/segue-dashboard.json
              contrib/segue.logrotate contrib/segue.service DESTINATION ${CMAKE_INSTALL_DATADIR}/segue)

# The documentation, in the tree that its links are written for.
install(FILES README.md LICENSE CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md CODE_OF_CONDUCT.md CITATION.cff
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples logs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE PATTERN site EXCLUDE)

# The prefix is told from where the file lies, so that `cmake --install --prefix` may choose it.
file(RELATIVE_PATH SEGUE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
# A static OpenBLAS needs the runtime of Fortran, and that needs libquadmath where there is one.
include(CheckLibraryExists)
check_library_exists(quadmath sqrtq "" SEGUE_HAS_QUADMATH)
set(SEGUE_PC_FORTRAN -lgfortran)
if(SEGUE_HAS_QUADMATH)
  string(APPEND SEGUE_PC_FORTRAN " -lquadmath")
endif()
configure_file(cmake/segue.pc.in segue.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/segue.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/segue)
configure_package_config_file(cmake/segue-config.cmake.in segue-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(segue-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT segue FILE segue-targets.cmake NAMESPACE segue:: DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/segue-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/segue-config-version.cmake DESTINATION ${package_dir})

# The manual page of a command is made by the command itself, from its table of options.
if(SEGUE_MANUAL)
  find_program(SCDOC scdoc REQUIRED)
  set(pages segue.1)
  add_custom_command(OUTPUT segue.1 DEPENDS docs/man/segue.1.scd
                     COMMAND ${SCDOC} < ${PROJECT_SOURCE_DIR}/docs/man/segue.1.scd > segue.1)
  foreach(command paper simulate run merge plot complexity estimate tally replay plan learn serve learners ask tell close audit erase
                  store bench help version)
    add_custom_command(OUTPUT segue-${command}.1 DEPENDS segue
                       COMMAND segue help --manual ${command} > segue-${command}.scd
                       COMMAND ${SCDOC} < segue-${command}.scd > segue-${command}.1)
    list(APPEND pages segue-${command}.1)
  endforeach()
  foreach(topic policies logs models results)
    add_custom_command(OUTPUT segue-${topic}.7 DEPENDS segue
                       COMMAND segue help --manual ${topic} > segue-${topic}.scd
                       COMMAND ${SCDOC} < segue-${topic}.scd > segue-${topic}.7)
    list(APPEND topic_pages segue-${topic}.7)
  endforeach()
  # The pages of the library are the comments of its headers.
  find_program(PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
  file(GLOB headers CONFIGURE_DEPENDS include/segue/*.h)
  add_custom_command(OUTPUT man3.done DEPENDS ${headers} docs/man/api_pages.py
                     COMMAND ${PYTHON} ${PROJECT_SOURCE_DIR}/docs/man/api_pages.py ${PROJECT_SOURCE_DIR}/include/segue man3 ${SCDOC}
                     COMMAND ${CMAKE_COMMAND} -E touch man3.done)
  add_custom_target(manual ALL DEPENDS ${pages} ${topic_pages} man3.done)
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR})
  list(TRANSFORM topic_pages PREPEND ${CMAKE_CURRENT_BINARY_DIR}/)
  install(FILES ${topic_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
  list(TRANSFORM pages PREPEND ${CMAKE_CURRENT_BINARY_DIR}/)
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
