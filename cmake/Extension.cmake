# The loadable extension: a shared object that needs libduckdb.so (taken from the host when it has one, else from the
# extension's own folder), exports its entry point alone, and carries the footer that DuckDB checks on LOAD.
function(birdfoot_extension target room)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/extension_entry.cpp
        CONTENT "// The entry point stands in src/duckdb/extension.cpp.\n")
    add_library(${target} MODULE ${PROJECT_BINARY_DIR}/extension_entry.cpp)
    target_link_libraries(${target} PRIVATE ${room})
    target_link_options(${target} PRIVATE -Wl,-u,birdfoot_duckdb_cpp_init
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/extension.map)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME birdfoot_extension
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/obj LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/extension.map)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
        COMMAND ${BIRDFOOT_PYTHON} ${PROJECT_SOURCE_DIR}/tools/append_footer.py $<TARGET_FILE:${target}>
                ${PROJECT_BINARY_DIR}/birdfoot.duckdb_extension v${BIRDFOOT_DUCKDB_VERSION} v${PROJECT_VERSION})
endfunction()

# libduckdb.so stands beside what was built, and is found there wherever the folder goes.
function(birdfoot_find_duckdb_at_origin)
    file(CREATE_LINK ${BIRDFOOT_DEPS}/lib/libduckdb.so ${PROJECT_BINARY_DIR}/libduckdb.so SYMBOLIC)
    set_target_properties(${ARGV} PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/../lib" BUILD_WITH_INSTALL_RPATH ON)
endfunction()
