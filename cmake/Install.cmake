# cmake --install: the command, the extension, DuckDB's library, and the engine as a C++ library with a CMake package.
#   bin/birdfoot  lib/libduckdb.so  lib/birdfoot.duckdb_extension  lib/libbirdfoot_*.a  include/birdfoot  lib/cmake
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(lib lib)  # where the command's rpath looks, not the distribution's multiarch folder
set(package ${lib}/cmake/birdfoot)
set(rooms birdfoot_core birdfoot_storage birdfoot_sql birdfoot_duckdb)

install(TARGETS birdfoot RUNTIME DESTINATION bin)
install(PROGRAMS ${BIRDFOOT_DEPS}/lib/libduckdb.so DESTINATION ${lib})
install(FILES ${PROJECT_BINARY_DIR}/birdfoot.duckdb_extension DESTINATION ${lib})

target_include_directories(birdfoot_core PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/birdfoot>)
install(TARGETS ${rooms} birdfoot_yyjson birdfoot_roaring EXPORT birdfoot ARCHIVE DESTINATION ${lib})
install(DIRECTORY src/core src/storage src/sql DESTINATION include/birdfoot FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
install(FILES src/duckdb/extension.hpp DESTINATION include/birdfoot/duckdb)
install(EXPORT birdfoot NAMESPACE birdfoot:: DESTINATION ${package} FILE birdfootTargets.cmake)
configure_package_config_file(cmake/birdfootConfig.cmake.in ${PROJECT_BINARY_DIR}/birdfootConfig.cmake
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/birdfootConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/birdfootConfig.cmake ${PROJECT_BINARY_DIR}/birdfootConfigVersion.cmake
    DESTINATION ${package})
