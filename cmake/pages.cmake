# pages.cmake - SEGUE_PAGES_DATA: the dashboard, the playground and the description of the interface, embedded
# into the program.
set(SEGUE_WEB index.html style.css icon.svg app.js api.js poll.js dom.js format.js curl.js table.js chart.js
    heat.js alarm.js effect.js follow.js learners.js learner.js reward.js types.js versions.js tasks.js
    decisions.js settings.js shadow.js stopped.js create.js login.js)
list(TRANSFORM SEGUE_WEB PREPEND ${PROJECT_SOURCE_DIR}/web/)
find_file(CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          NO_DEFAULT_PATH REQUIRED DOC "Chart.js 3, minified: Debian's libjs-chart.js")
list(APPEND SEGUE_WEB ${CHART_JS} ${PROJECT_SOURCE_DIR}/src/service/api/openapi.json)
include(cmake/playground.cmake)
set(SEGUE_PAGES_DATA ${CMAKE_CURRENT_BINARY_DIR}/pages_data.c)
add_custom_command(OUTPUT ${SEGUE_PAGES_DATA}
                   COMMAND ${CMAKE_COMMAND} -DOUT=${SEGUE_PAGES_DATA} "-DFILES=${SEGUE_WEB};${SEGUE_PLAYGROUND_FILES}"
                           -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${SEGUE_WEB} ${SEGUE_PLAYGROUND_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   COMMENT "Embedding the pages" VERBATIM)
