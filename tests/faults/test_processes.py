"""Several processes on one local table, and processes that die at any moment."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from engines import BUILD, ROOT, bird_rows

APPENDER = """
import sys
sys.path.insert(0, sys.argv[1])
from engines import connect
con = connect()
path, who, count = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for i in range(count):
    con.execute(f'INSERT INTO delta."{path}" VALUES ({who * 1000000 + i})')
    print(who * 1000000 + i, flush=True)
"""


def start(script, *args):
    return subprocess.Popen([sys.executable, "-c", script, str(ROOT / "tests" / "support"), *map(str, args)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def commits(path):
    return sorted(n for n in os.listdir(f"{path}/_delta_log") if n.endswith(".json") and n[:20].isdigit())


def test_eight_processes_append_fifty_times(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f'CREATE TABLE delta."{path}" (id BIGINT)')
    running = [start(APPENDER, path, who, 50) for who in range(8)]
    for process in running:
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    assert len(commits(path)) == 401
    want = sorted((who * 1000000 + i,) for who in range(8) for i in range(50))
    assert sorted(bird_rows(bird, path)) == want


def check(bird, path, acknowledged, columns="id"):
    """The table opens, versions have no gap, every acknowledged row is there once, and no commit is there in part."""
    names = commits(path)
    assert [int(n[:20]) for n in names] == list(range(int(names[0][:20]), int(names[0][:20]) + len(names)))
    for name in names:
        with open(f"{path}/_delta_log/{name}") as f:
            for line in f:
                json.loads(line)
    rows = [r[0] for r in bird.execute(f'SELECT {columns} FROM delta."{path}"').fetchall()]
    assert len(rows) == len(set(rows))
    assert acknowledged <= set(rows)
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_killed_while_appending(bird, tmp_path, seed):
    """Fifty kills each, with a checkpoint every third commit; every append writes two rows of one commit."""
    script = APPENDER.replace("VALUES ({who * 1000000 + i})", "VALUES ({who * 1000000 + i}), (-{who * 1000000 + i} - 1)").replace(
        "con = connect()", "con = connect(); con.execute(\"SET birdfoot_checkpoints = 'inline'\")")
    rng, path, acknowledged = random.Random(seed), tmp_path / "t", set()
    bird.execute(f'CREATE TABLE delta.`{path}` (id BIGINT) USING delta TBLPROPERTIES (\'delta.checkpointInterval\' = \'3\')')
    for round_ in range(50):
        process = start(script, path, round_ + 1, 100000)
        first = process.stdout.readline()  # it is at work
        assert first, process.stderr.read()
        time.sleep(rng.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        acknowledged |= {int(line) for line in (first + out).split("\n")[:-1]}
    rows = set(check(bird, path, acknowledged))
    assert all((-r - 1 in rows) for r in rows), "half a commit"


CTAS = """
import sys
sys.path.insert(0, sys.argv[1])
from engines import connect
con = connect()
print("ready", flush=True)
con.execute(f'CREATE TABLE delta."{sys.argv[2]}" AS SELECT i AS id, i % 4 AS p FROM range({sys.argv[3]}) t(i)')
print("done", flush=True)
"""


def test_killed_while_creating(bird, tmp_path):
    """A CREATE TABLE AS that dies leaves the whole table or none."""
    rng = random.Random(7)
    for round_ in range(40):
        path = tmp_path / f"t{round_}"
        process = start(CTAS, path, 300000)
        assert process.stdout.readline() == "ready\n"
        time.sleep(rng.random() * 0.12)
        process.send_signal(signal.SIGKILL)
        done = "done" in process.communicate()[0]
        exists = os.path.exists(path / "_delta_log" / f"{0:020d}.json")
        assert exists or not done
        if exists:
            assert bird.execute(f'SELECT count(*), sum(id) FROM delta."{path}"').fetchone() == (300000, sum(range(300000)))
        else:
            shutil.rmtree(path, ignore_errors=True)  # data files that nobody committed make the place no empty one
            bird.execute(f'CREATE TABLE delta."{path}" (id BIGINT)')
            assert bird_rows(bird, path) == []


def test_interrupt_leaves_nothing_half_done(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f'CREATE TABLE delta."{path}" (id BIGINT)')
    sql = f'INSERT INTO delta."{path}" SELECT i FROM range(2000000000) t(i)'
    process = subprocess.Popen([str(BUILD / "birdfoot"), "sql", sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert bird_rows(bird, path) == [] and commits(path) == [f"{0:020d}.json"]
    assert [n for n in os.listdir(path) if n.endswith(".parquet")] == []
