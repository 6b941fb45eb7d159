"""`pip install .` and what the package offers, in an environment of its own."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("BIRDFOOT_BUILD", str(ROOT / "build" / "release"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The package unpacked into a folder, as pip does it, without touching the environment of the tests."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", target, ROOT]
    subprocess.run(command, check=True, env={**os.environ, "BIRDFOOT_BUILD": BUILD}, timeout=300)
    return target


def run(site, code, **environment):
    path = f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    return subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": path, **environment})


def test_connect_needs_no_setting(site, tmp_path):
    code = f"""
import birdfoot
con = birdfoot.connect(config={{"threads": 1}})
print(con.execute("SELECT installed FROM duckdb_extensions() WHERE extension_name = 'birdfoot' AND loaded").fetchall())
con.execute("CREATE TABLE delta.`{tmp_path}/t` AS SELECT 42 AS a")
print(con.execute("SELECT a FROM delta.`{tmp_path}/t`").fetchall())
"""
    result = run(site, code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[1] == "[(42,)]"


def test_another_duckdb_is_refused_by_name(site):
    result = run(site, "import duckdb; duckdb.__version__ = '9.9.9'; import birdfoot; birdfoot.connect()")
    assert result.returncode != 0
    assert "made for duckdb 1.5.5, and 9.9.9 is installed" in result.stderr


def test_wheel_without_a_build_says_what_to_do(tmp_path):
    code = "import wheel_backend; wheel_backend.build_wheel('.')"
    result = run(ROOT / "tools", code, BIRDFOOT_BUILD=str(tmp_path))
    assert result.returncode != 0
    assert "make build" in result.stderr
