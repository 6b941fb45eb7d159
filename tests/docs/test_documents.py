"""Every command shown in the README and in docs/ is run: blocks of SQL in the command line, Python and shell as they are."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from engines import BUILD, ROOT

PLACE = "/tmp/birdfoot-demo"
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(document, language):
    return [body for kind, body in BLOCK.findall(document.read_text()) if kind == language]


def having(language):
    return [d for d in DOCUMENTS if blocks(d, language)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path):
    """The documents name a folder that a reader can paste; the tests use one of their own."""
    yield
    shutil.rmtree(tmp_path, ignore_errors=True)


def mine(text, tmp_path):
    return text.replace(PLACE, str(tmp_path)).replace("build/release/birdfoot", str(BUILD / "birdfoot"))


@pytest.mark.parametrize("document", having("sql"), ids=lambda d: d.name)
def test_sql(document, tmp_path):
    body = "\n".join(blocks(document, "sql"))  # one session, as for a reader who pastes them in order
    for _ in range(2):  # a reader pastes them again
        run = subprocess.run([BUILD / "birdfoot", "sql"], input=mine(body, tmp_path), capture_output=True, text=True, cwd=ROOT)
        assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("document", having("python"), ids=lambda d: d.name)
def test_python(document, tmp_path):
    package = tmp_path / "site" / "birdfoot"  # laid out as `pip install .` does
    shutil.copytree(ROOT / "src" / "python" / "birdfoot", package)
    (package / "lib").symlink_to(BUILD)
    env = dict(os.environ, PYTHONPATH=str(package.parent))
    for body in 2 * blocks(document, "python"):
        run = subprocess.run([sys.executable, "-c", mine(body, tmp_path)], capture_output=True, text=True, cwd=ROOT, env=env)
        assert run.returncode == 0, f"{body}\n{run.stderr}"


@pytest.mark.parametrize("document", having("sh"), ids=lambda d: d.name)
def test_shell(document, tmp_path):
    for body in 2 * blocks(document, "sh"):
        run = subprocess.run(["bash", "-euc", mine(body, tmp_path)], capture_output=True, text=True, cwd=ROOT)
        assert run.returncode == 0, f"{body}\n{run.stderr}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links(document):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name} points to {target}, which is not there"


def test_protocol_map_names_what_is_there():
    named = re.findall(r"`((?:src|tests)/[^`]+)`", (ROOT / "docs" / "PROTOCOL_MAP.md").read_text())
    assert len(named) > 30
    assert [n for n in named if not (ROOT / n).exists()] == []


def test_features_are_those_of_the_program():
    sql = "SELECT feature, kind, read, write, remark FROM birdfoot_features()"
    run = subprocess.run([BUILD / "birdfoot", "sql", "--format", "markdown", sql], capture_output=True, text=True, check=True)
    assert run.stdout.strip() in (ROOT / "docs" / "FEATURES.md").read_text()
