"""A9 of the list of faults that other implementations shipped: concurrency and commits."""
import json
import threading

import duckdb
from engines import bird_rows, connect
from table_check import check_table


def test_b105_a_commit_that_is_there_is_never_replaced(tmp_path):
    """Nothing but the object itself says that a version is taken: here someone else puts it there behind our back."""
    path = str(tmp_path / "t")
    con = connect()
    con.execute(f'CREATE TABLE delta."{path}" (id INT)')
    con.execute("BEGIN")
    con.execute(f'INSERT INTO delta."{path}" VALUES (1)')
    theirs = json.dumps({"commitInfo": {"timestamp": 1, "operation": "WRITE", "engineInfo": "another"}})
    with open(f"{path}/_delta_log/{1:020}.json", "x") as file:
        file.write(theirs + "\n")
    con.execute("COMMIT")
    with open(f"{path}/_delta_log/{1:020}.json") as file:
        assert file.read() == theirs + "\n"
    with open(f"{path}/_delta_log/{2:020}.json") as file:
        assert '"add"' in file.read()
    assert bird_rows(con, path) == [(1,)]
    check_table(path)


def test_b107_concurrent_overwrites_do_not_replicate_rows(tmp_path):
    path = str(tmp_path / "t")
    con = connect()
    con.execute(f'CREATE TABLE delta."{path}" AS SELECT * FROM (VALUES (1), (2)) v(id)')

    def overwrite():
        session = connect()
        for _ in range(5):
            try:
                session.execute(f'INSERT OVERWRITE delta."{path}" SELECT * FROM delta."{path}"')
            except duckdb.Error as error:
                assert "DELTA_CONCURRENT" in str(error), error
            assert session.execute(f'SELECT count(*) FROM delta."{path}"').fetchone() == (2,)

    threads = [threading.Thread(target=overwrite) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bird_rows(con, path) == [(1,), (2,)]
    check_table(path)


def test_b108_no_blind_append_is_dropped(tmp_path):
    path = str(tmp_path / "t")
    con = connect()
    con.execute("SET birdfoot_fsync = false")
    con.execute(f'CREATE TABLE delta."{path}" (id INT)')
    writers, each, failures = 10, 40, []

    def append(writer):
        session = con.cursor()
        for i in range(each):
            try:
                session.execute(f'INSERT INTO delta."{path}" VALUES ({writer * each + i})')
            except duckdb.Error as error:
                failures.append(str(error))

    threads = [threading.Thread(target=append, args=(w,)) for w in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(id for (id,) in bird_rows(con, path)) == list(range(writers * each))


def test_b110_row_ids_after_a_rebase(tmp_path):
    path = str(tmp_path / "t")
    first, second = connect(), connect()
    first.execute(f"CREATE TABLE delta.\"{path}\" (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    first.execute(f'INSERT INTO delta."{path}" SELECT i FROM range(6) r(i)')
    first.execute("BEGIN")
    first.execute(f'INSERT INTO delta."{path}" VALUES (100)')
    second.execute(f'INSERT INTO delta."{path}" SELECT i FROM range(5) r(i)')
    first.execute("COMMIT")
    with open(f"{path}/_delta_log/{3:020}.json") as file:
        actions = [json.loads(line) for line in file]
    (add,) = [a["add"] for a in actions if "add" in a]
    assert add["baseRowId"] == 11 and add["defaultRowCommitVersion"] == 3
    (domain,) = [a["domainMetadata"] for a in actions if "domainMetadata" in a]
    assert json.loads(domain["configuration"])["rowIdHighWaterMark"] == 11
    check_table(path)
