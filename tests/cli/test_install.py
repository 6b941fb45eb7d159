"""`cmake --install`: the command and the extension find their library where they were put, and a program that links the engine
through its CMake package, and knows no DuckDB, opens a table."""
import json
import os
import subprocess

import duckdb
import pytest
from engines import BUILD, ROOT

PROGRAM = """
#include <iostream>
#include "core/table/snapshot.hpp"
#include "storage/local_store.hpp"

int main(int, char **arguments) {
    birdfoot::Engine engine{std::make_shared<birdfoot::storage::LocalStore>(), nullptr, [] { return int64_t{0}; }};
    auto root = birdfoot::NormalizeTableRoot(arguments[1]);
    auto snapshot = birdfoot::LoadSnapshot(engine, root, birdfoot::LatestVersion(), {});
    if (!snapshot.ok()) {
        std::cerr << snapshot.error().message() << std::endl;
        return 1;
    }
    std::cout << (*snapshot)->version() << std::endl;
}
"""
PACKAGE = """
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(birdfoot REQUIRED)
add_executable(consumer consumer.cpp)
target_link_libraries(consumer PRIVATE birdfoot::birdfoot_core birdfoot::birdfoot_storage)
"""


def run(*command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    place = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", str(BUILD), "--prefix", str(place))
    return place


def test_the_command_and_the_extension_run_where_they_were_put(prefix):
    out = run(str(prefix / "bin/birdfoot"), "sql", "--format", "json", "SELECT 42 AS answer", env={"PATH": os.environ["PATH"]})
    assert json.loads(out) == {"answer": 42}
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{prefix}/lib/birdfoot.duckdb_extension'")
    assert con.execute("SELECT count(*) > 10 FROM birdfoot_features()").fetchone() == (True,)


def test_a_program_links_the_engine(prefix, tmp_path):
    (tmp_path / "consumer.cpp").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(PACKAGE)
    run("cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", str(tmp_path / "build"))
    table = ROOT / "tests/golden/tables/plain/delta"
    assert run(str(tmp_path / "build/consumer"), str(table)).strip() == "3"
