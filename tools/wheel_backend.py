"""The PEP 517 backend of the Python package: zips src/python/birdfoot, the extension and libduckdb.so into a wheel.

BIRDFOOT_BUILD names the build folder (default: build/release). The standard library is all it needs.
"""
import base64
import hashlib
import os
import pathlib
import re
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAG = "py3-none-linux_x86_64"


def _project() -> dict:
    """The plain `key = value` lines of [project]; tomllib came with Python 3.11 only."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = re.search(r"^\[project\]\n(.*?)(?=^\[|\Z)", text, re.M | re.S).group(1)
    values = dict(re.findall(r'^([\w-]+) = "(.*)"$', section, re.M))
    values["dependencies"] = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*?)\]", section, re.M | re.S).group(1))
    return values


def _metadata(project: dict) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {dependency}" for dependency in project["dependencies"]]
    return "\n".join(lines + ["Description-Content-Type: text/markdown", "",
                              (ROOT / project["readme"]).read_text(encoding="utf-8")])


def _contents() -> dict:
    build = pathlib.Path(os.environ.get("BIRDFOOT_BUILD", ROOT / "build" / "release")).resolve()
    contents = {f"birdfoot/{file.name}": file for file in sorted((ROOT / "src/python/birdfoot").glob("*.py"))}
    for name in ("birdfoot.duckdb_extension", "libduckdb.so"):
        if not (build / name).exists():
            raise SystemExit(f"{build / name} is missing. Run `make build` first: the package takes what it made.")
        contents[f"birdfoot/lib/{name}"] = (build / name).resolve()
    return contents


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    info = f"{stem}.dist-info"
    files = {name: file.read_bytes() for name, file in _contents().items()}
    files[f"{info}/METADATA"] = _metadata(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: birdfoot\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    record = []
    wheel = f"{stem}-{TAG}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")
            archive.writestr(name, content)
        record.append(f"{info}/RECORD,,")
        archive.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("There is no source distribution: build the wheel from a clone of the repository.")
