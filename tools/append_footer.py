"""Turns a shared object into a DuckDB extension by appending the footer that LOAD checks.

    append_footer.py INPUT.so OUTPUT.duckdb_extension DUCKDB_VERSION EXTENSION_VERSION

The footer is a WebAssembly-like custom section: eight fields of 32 bytes (the last one first: magic, platform, DuckDB's
version, the extension's version, ABI, three that are reserved) and room for a signature, which stays empty.
"""
import os
import sys

PLATFORM = "linux_amd64"


def main() -> None:
    source, target, duckdb_version, extension_version = sys.argv[1:]
    fields = ["4", PLATFORM, duckdb_version, extension_version, "CPP", "", "", ""]
    section = bytes([0, 147, 4, 16]) + b"duckdb_signature" + bytes([128, 4])
    section += b"".join(field.encode().ljust(32, b"\0") for field in reversed(fields)) + bytes(256)
    with open(source, "rb") as file:
        body = file.read()
    with open(target + ".new", "wb") as file:
        file.write(body + section)
    os.replace(target + ".new", target)


main()
