"""Two hundred processes that die while they change rows: after each the table holds whole statements only, and all that were acknowledged."""
import random
import signal
import subprocess
import sys
import time

import pytest
from engines import ROOT
from table_check import check_table

CHANGER = """
import random, sys
sys.path.insert(0, sys.argv[1])
from engines import connect
con = connect()
con.execute("SET birdfoot_checkpoints = 'inline'")
path, seed, statement = sys.argv[2], int(sys.argv[3]), sys.argv[4]
rng = random.Random(seed)
for i in range(100000):
    ids = rng.sample(range(1000), 10)
    if statement == "update":
        con.execute(f'UPDATE delta."{path}" SET n = n + 1 WHERE id IN ({", ".join(map(str, ids))})')
    else:
        rows = ", ".join(f"({id})" for id in [*ids, seed * 1000000 + i])
        con.execute(f'''MERGE INTO delta."{path}" t USING (VALUES {rows}) s(id) ON t.id = s.id
            WHEN MATCHED THEN UPDATE SET n = t.n + 1 WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 0)''')
    print(i, flush=True)
"""


@pytest.mark.parametrize("vectors", ["false", "true"])
@pytest.mark.parametrize("statement", ["update", "merge"])
def test_killed_while_changing_rows(bird, tmp_path, statement, vectors):
    """Every statement adds one to ten rows, and MERGE inserts one more: sums tell how many statements are there."""
    path, rng, acknowledged = tmp_path / "t", random.Random(5), 0
    bird.execute(f"""CREATE TABLE delta."{path}" (id BIGINT, n BIGINT) USING delta
        TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}', 'delta.checkpointInterval' = '4')""")
    bird.execute(f'INSERT INTO delta."{path}" SELECT i, 0 FROM range(1000) r(i)')
    for seed in range(1, 51):
        process = subprocess.Popen([sys.executable, "-c", CHANGER, str(ROOT / "tests" / "support"), str(path), str(seed), statement],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = process.stdout.readline()  # it is at work
        assert first, process.stderr.read()
        time.sleep(rng.random() * 0.06)
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        acknowledged += (first + out).count("\n")
        rows, total, distinct = bird.execute(f'SELECT count(*), sum(n), count(DISTINCT id) FROM delta."{path}"').fetchone()
        version = bird.execute(f"SELECT max(version) FROM birdfoot_history('{path}')").fetchone()[0]
        done = version - 1
        assert rows == distinct
        assert total == 10 * done and rows == 1000 + (done if statement == "merge" else 0)
        assert acknowledged <= done <= acknowledged + seed
    check_table(str(path))
