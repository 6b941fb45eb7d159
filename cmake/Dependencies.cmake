# The libraries that Birdfoot links; docs/DEPENDENCIES.md says what each is for.
if(NOT EXISTS ${BIRDFOOT_DEPS}/.pins)
    message(FATAL_ERROR "${BIRDFOOT_DEPS} holds no dependencies. Run tools/setup.sh first.")
endif()
find_program(BIRDFOOT_PYTHON NAMES python3 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)  # header-only, so that no shared library is needed beside the extension
find_package(CLI11 REQUIRED)

# DuckDB's copy of yyjson (namespace duckdb_yyjson) and CRoaring, ours alone: hidden, so that they neither take the
# place of the copies in libduckdb.so nor are replaced by them.
add_library(birdfoot_yyjson STATIC ${BIRDFOOT_DEPS}/yyjson/yyjson.cpp)
target_include_directories(birdfoot_yyjson SYSTEM PUBLIC $<BUILD_INTERFACE:${BIRDFOOT_DEPS}/yyjson>)
add_library(birdfoot_roaring STATIC ${BIRDFOOT_DEPS}/roaring/roaring.c)
target_include_directories(birdfoot_roaring SYSTEM PUBLIC $<BUILD_INTERFACE:${BIRDFOOT_DEPS}/roaring>)
foreach(library birdfoot_yyjson birdfoot_roaring)
    set_target_properties(${library} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
    target_compile_options(${library} PRIVATE -O2 -w)
endforeach()

# DuckDB's own fmt is left out on purpose: its <fmt/format.h> would hide the system's.
set(BIRDFOOT_DUCKDB_VERSION 1.5.5)
add_library(duckdb SHARED IMPORTED)
set_target_properties(duckdb PROPERTIES IMPORTED_LOCATION ${BIRDFOOT_DEPS}/lib/libduckdb.so
    IMPORTED_SONAME libduckdb.so)
foreach(folder
        src/include extension/parquet/include extension/json/include extension/core_functions/include
        third_party/parquet third_party/thrift third_party/re2 third_party/zstd/include third_party/snappy
        third_party/mbedtls/include third_party/lz4 third_party/brotli/include third_party/fastpforlib
        third_party/concurrentqueue third_party/utf8proc/include third_party/fast_float)
    target_include_directories(duckdb SYSTEM INTERFACE ${BIRDFOOT_DEPS}/duckdb/${folder})
endforeach()
