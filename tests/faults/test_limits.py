"""Statements that run out of disk or of memory. Out of disk: a clean error, the table as it was, nothing left behind, and the next
statement works. Out of memory: DuckDB spills, and the statement ends well. BIRDFOOT_MERGE_ROWS and BIRDFOOT_MERGE_MEMORY say how
large the MERGE is (default 2000000 rows in 160MB; the bar is 10000000 in 512MB)."""
import os
import subprocess
import sys

import pytest
from engines import BUILD, ROOT, connect
from table_check import check_table

ROWS = int(os.environ.get("BIRDFOOT_MERGE_ROWS", "2000000"))
MEMORY = os.environ.get("BIRDFOOT_MERGE_MEMORY", "160MB")

STATEMENTS = {
    "insert": "INSERT INTO {t} SELECT i, i % 7, random(), repeat(md5(i::VARCHAR), 4) FROM range(400000, 800000) r(i)",
    "update": "UPDATE {t} SET s = repeat(md5(s), 8) WHERE id % 2 = 0",
    "merge": """MERGE INTO {t} t USING (SELECT i * 3 AS id, repeat(md5(i::VARCHAR), 8) AS s FROM range(200000) r(i)) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET s = s.s WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, s.s)""",
    "delete": "DELETE FROM {t} WHERE id % 2 = 0",
}

# In a process of its own: the limit is that process's, and so is the file system. Argument 1 is the table, 2 the statement, 3 how
# disk space ends.
CHILD = """
import glob, os, resource, signal, sys
from engines import connect
path, statement, kind = sys.argv[1:]
con = connect()
t = f'delta."{path}"'
con.execute(f"CREATE TABLE {t} (id BIGINT, k BIGINT, x DOUBLE, s VARCHAR) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
con.execute(f"INSERT INTO {t} SELECT i, i % 7, i / 3, md5(i::VARCHAR) FROM range(300000) r(i)")
def state():
    files = sorted(f for f in glob.glob(path + "/**", recursive=True) if not f.endswith(".crc") and "/." not in f)
    return files, con.execute(f"SELECT count(*), sum(hash(COLUMNS(*))) FROM {t}").fetchall()
before = state()
if kind == "file":  # no file may grow beyond 1 MB
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
else:  # the file system of 64 MB is full but for half a megabyte
    with open(os.path.join(os.path.dirname(path), "ballast"), "wb") as ballast:
        space = os.statvfs(os.path.dirname(path))
        ballast.write(bytes(space.f_bavail * space.f_frsize - (1 << 19)))
try:
    con.execute(statement.replace("{t}", t))
    sys.exit("the statement fitted")
except Exception as error:
    print(error)
assert state() == before, "the table is not what it was"
if kind == "file":
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
else:
    os.remove(os.path.join(os.path.dirname(path), "ballast"))
con.execute("DELETE FROM " + t + " WHERE id = 7")
assert con.execute(f"SELECT count(*) FROM {t}").fetchone()[0] == 299999
from table_check import check_table
check_table(path)
"""


def run(statement, kind, folder):
    command = [sys.executable, "-c", CHILD, f"{folder}/t", STATEMENTS[statement], kind]
    if kind == "disk":
        mounted = ["unshare", "-m", "bash", "-c", 'mount -t tmpfs -o size=64m none "$0" && exec "$@"', str(folder)]
        if subprocess.run([*mounted, "true"], capture_output=True).returncode:
            pytest.skip("only root may mount a small file system: run the tests as root for it, as CI does")
        command = mounted + command
    return subprocess.run(command, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "BIRDFOOT_BUILD": str(BUILD), "PYTHONPATH": f"{ROOT}/tests/support"})


@pytest.mark.parametrize("kind", ["file", "disk"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_out_of_disk(tmp_path, statement, kind):
    done = run(statement, kind, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "INTERNAL" not in done.stdout


def test_a_merge_larger_than_memory(tmp_path):
    con, t = connect(), f'delta."{tmp_path}/t"'
    con.execute(f"CREATE TABLE {t} (id BIGINT, k BIGINT, s VARCHAR)")
    con.execute(f"INSERT INTO {t} SELECT i, i % 7, 'row ' || i FROM range({ROWS}) r(i)")
    con.execute(f"SET memory_limit = '{MEMORY}'; SET temp_directory = '{tmp_path}/spill'")
    con.execute(f"""MERGE INTO {t} t USING (SELECT i * 2 AS id, i % 7 AS k, 'new ' || i AS s FROM range({ROWS}) r(i)) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    con.execute("RESET memory_limit")
    found = con.execute(f"SELECT count(*), count(*) FILTER (s LIKE 'new %'), count(DISTINCT id), sum(id) FROM {t}").fetchone()
    half = (ROWS + 1) // 2
    odd = ROWS - half
    assert found == (ROWS + odd, ROWS, ROWS + odd, ROWS * (ROWS - 1) + odd * odd)
    check_table(f"{tmp_path}/t")
