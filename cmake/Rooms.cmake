# A room of src/ as a static library of all sources in its folder.
function(birdfoot_room target folder)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    add_library(${target} STATIC ${sources})
endfunction()

# Both src/duckdb and DuckDB's own headers are included as "duckdb/…". A header of ours with the path of one of theirs
# would take its place inside DuckDB's headers too, so such a name is refused.
function(birdfoot_refuse_shadowed_headers folder)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${folder}/*.hpp)
    foreach(header ${headers})
        if(EXISTS ${BIRDFOOT_DEPS}/duckdb/src/include/${header})
            message(FATAL_ERROR "src/${header} hides DuckDB's own <${header}>. Give it another name.")
        endif()
    endforeach()
endfunction()

# A wrong include fails the build, not only the lint.
function(birdfoot_check_layers)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/*.cpp src/*.hpp)
    set(stamp ${PROJECT_BINARY_DIR}/layers.stamp)
    add_custom_command(OUTPUT ${stamp} VERBATIM
        COMMAND ${BIRDFOOT_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_layers.py --includes
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/tools/check_layers.py)
    add_custom_target(layers ALL DEPENDS ${stamp})
endfunction()
