"""A7 of the list of faults that other implementations shipped: MERGE; with the MERGE cases of A5."""
import json
import os
import threading

import duckdb
import pytest
from engines import bird_rows, connect
from table_check import check_table

MODES = ["false", "true"]


def table(bird, tmp_path, columns, vectors="false", partition=None, values=None, **properties):
    path = str(tmp_path / "t")
    wanted = {"delta.enableDeletionVectors": vectors, **properties}
    options = ", ".join(f"'{k}' = '{v}'" for k, v in wanted.items())
    bird.execute(f'CREATE TABLE delta."{path}" ({columns}) USING delta ' + (f"PARTITIONED BY ({partition}) " if partition else "")
                 + f"TBLPROPERTIES ({options})")
    if values:
        bird.execute(f'INSERT INTO delta."{path}" VALUES {values}')
    return path


def actions(path, version):
    with open(f"{path}/_delta_log/{version:020}.json") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("vectors", MODES)
def test_b88_a_row_matched_twice_is_an_error(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "id INT, v STRING", vectors, values="(1, 'a'), (2, 'b')")
    with pytest.raises(duckdb.Error, match="DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"):
        bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (1, 'x'), (1, 'y')) s(id, v) ON t.id = s.id
            WHEN MATCHED THEN UPDATE SET v = s.v""")
    assert bird_rows(bird, path) == [(1, "a"), (2, "b")]
    # Spark lets it pass where the only matched clause is a DELETE without a condition.
    bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (1), (1)) s(id) ON t.id = s.id WHEN MATCHED THEN DELETE""")
    assert bird_rows(bird, path) == [(2, "b")]
    bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (7, 'n'), (7, 'n')) s(id, v) ON t.id = s.id
        WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)""")
    assert bird_rows(bird, path) == [(2, "b"), (7, "n"), (7, "n")]
    check_table(path)


@pytest.mark.parametrize("vectors", MODES)
def test_b90_rows_that_the_condition_excludes_stay(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "id INT, cost DOUBLE", vectors, values="(1, NULL), (2, NULL), (3, 3.0), (4, 4.0)")
    bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (1, 10.0), (3, 30.0)) s(id, cost) ON t.id = s.id AND t.cost IS NULL
        WHEN MATCHED THEN UPDATE SET cost = s.cost""")
    assert bird_rows(bird, path) == [(1, 10.0), (2, None), (3, 3.0), (4, 4.0)]
    check_table(path)


@pytest.mark.parametrize("vectors", MODES)
def test_b90_a_lower_bound_over_two_batches(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "ts TIMESTAMP, v INT", vectors, values="(TIMESTAMP '2024-01-01 00:00:00', 1), (TIMESTAMP '2024-01-02 00:00:00', 2)")
    merge = f"""MERGE INTO delta."{path}" t USING (VALUES (TIMESTAMP '2024-01-02 00:00:00', 20), (TIMESTAMP '2024-01-03 00:00:00', 30)) s(ts, v)
        ON t.ts >= TIMESTAMP '2024-01-02 00:00:00' AND s.ts = t.ts WHEN NOT MATCHED THEN INSERT (ts, v) VALUES (s.ts, s.v)"""
    bird.execute(merge)
    bird.execute(merge)
    assert [v for _, v in bird_rows(bird, path)] == [1, 2, 30]


@pytest.mark.parametrize("vectors", MODES)
def test_b92_not_null_holds_for_the_rows_written_alone(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "id INT NOT NULL, v INT", vectors)
    bird.execute(f'INSERT INTO delta."{path}" SELECT i, i FROM range(100) r(i)')
    bird.execute("SET spark.databricks.delta.schema.autoMerge.enabled = true")
    bird.execute(f"""MERGE INTO delta."{path}" t USING (SELECT i AS id, -i AS v, 'new' AS w FROM range(95, 105) r(i)) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    rows = bird_rows(bird, path)
    assert len(rows) == 105
    assert sum(w == "new" for _, _, w in rows) == 10
    assert sum(id for id, _, _ in rows) == sum(range(105))
    check_table(path)


def test_b93_one_plan_in_either_setting(bird, tmp_path):
    """Two sessions of one process, with and without evolution, at the same time."""
    rows = ", ".join(f"({i}, {i})" for i in range(50))
    paths = {evolve: table(bird, tmp_path / evolve, "id INT, v INT", values=rows) for evolve in ("true", "false")}
    begin, failures = threading.Barrier(2), []

    def merge(evolve):
        try:
            session = bird.cursor()
            session.execute(f"SET spark.databricks.delta.schema.autoMerge.enabled = {evolve}")
            begin.wait()
            for _ in range(3):
                session.execute(f"""MERGE INTO delta."{paths[evolve]}" t USING (SELECT i AS id, 2 * i AS v, 'x' AS extra FROM range(40, 60) r(i)) s
                    ON t.id = s.id WHEN MATCHED AND s.id = 41 THEN DELETE WHEN MATCHED THEN UPDATE SET *
                    WHEN NOT MATCHED AND s.id <> 41 THEN INSERT *""")
        except Exception as error:
            failures.append(error)
            begin.abort()

    threads = [threading.Thread(target=merge, args=(evolve,)) for evolve in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    merged = {i: 2 * i if i >= 40 else i for i in range(60) if i != 41}
    assert bird_rows(bird, paths["false"]) == sorted(merged.items(), key=repr)
    assert bird_rows(bird, paths["true"]) == sorted([(i, v, "x" if i >= 40 else None) for i, v in merged.items()], key=repr)


@pytest.mark.parametrize("vectors", MODES)
def test_b95_what_did_not_change_is_no_change(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "id INT, v INT", vectors, values="(1, 1), (2, 2), (3, 3)", **{"delta.enableChangeDataFeed": "true"})
    bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (1, 1), (2, 20), (3, 3)) s(id, v) ON t.id = s.id
        WHEN MATCHED AND s.v <> t.v THEN UPDATE SET v = s.v""")
    changes = bird.execute(f"SELECT id, v, _change_type FROM table_changes_by_path('{path}', 2) ORDER BY ALL").fetchall()
    assert changes == [(2, 2, "update_preimage"), (2, 20, "update_postimage")]
    bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (3, 3)) s(id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v""")
    changes = bird.execute(f"SELECT id, v, _change_type FROM table_changes_by_path('{path}', 3) ORDER BY ALL").fetchall()
    assert changes == [(3, 3, "update_postimage"), (3, 3, "update_preimage")]
    bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (1, 1), (2, 20), (3, 3)) s(id, v) ON t.id = s.id
        WHEN MATCHED AND s.v <> t.v THEN UPDATE SET v = s.v""")
    assert bird.execute(f"SELECT * FROM table_changes_by_path('{path}', 3) WHERE _commit_version > 3").fetchall() == []


@pytest.mark.parametrize("kind, one, other", [("STRING", "'DE'", "'NL'"), ("DATE", "DATE '2024-01-01'", "DATE '2024-01-02'"),
                                              ("TIMESTAMP", "TIMESTAMP '2024-01-01 00:00:00'", "TIMESTAMP '2024-01-02 00:00:00.5'"),
                                              ("DECIMAL(9,2)", "1.50", "-2.25")])
def test_b97_disjoint_partitions_do_not_conflict_and_others_do(tmp_path, kind, one, other):
    first, second = connect(), connect()
    path = table(first, tmp_path, f"id INT, p {kind}, v INT", partition="p", values=f"(1, {one}, 1), (2, {other}, 2)")
    merge = """MERGE INTO delta."{path}" t USING (VALUES ({id}, {v})) s(id, v) ON t.id = s.id AND t.p = {p}
        WHEN MATCHED THEN UPDATE SET v = s.v"""
    first.execute("BEGIN")
    first.execute(merge.format(path=path, id=1, v=10, p=one))
    second.execute(merge.format(path=path, id=2, v=20, p=other))
    first.execute("COMMIT")
    assert sorted(v for _, _, v in bird_rows(first, path)) == [10, 20]
    first.execute("BEGIN")
    first.execute(merge.format(path=path, id=1, v=11, p=one))
    second.execute(merge.format(path=path, id=1, v=12, p=one))
    with pytest.raises(duckdb.Error, match="DELTA_CONCURRENT"):
        first.execute("COMMIT")
    assert sorted(v for _, _, v in bird_rows(second, path)) == [12, 20]
    check_table(path)


@pytest.mark.parametrize("vectors", MODES)
def test_b98_not_matched_by_source_keeps_to_its_condition(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "id INT, p STRING", vectors, partition="p", values="(1, 'a'), (2, 'a'), (3, 'b'), (4, 'b')")
    bird.execute(f"""MERGE INTO delta."{path}" t USING (VALUES (1, 'a')) s(id, p) ON t.id = s.id AND t.p = s.p
        WHEN NOT MATCHED BY SOURCE AND t.p = 'a' THEN DELETE""")
    assert bird_rows(bird, path) == [(1, "a"), (3, "b"), (4, "b")]
    touched = [a[kind]["path"] for a in actions(path, 2) for kind in ("add", "remove") if kind in a]
    assert touched and all("p=a/" in name for name in touched)


@pytest.mark.parametrize("vectors", MODES)
def test_b75_a_literal_on_the_partition_column(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "id BIGINT, ts TIMESTAMP, v INT", vectors, partition="ts")
    bird.execute(f"""INSERT INTO delta."{path}" SELECT i, CASE WHEN i < 500000 THEN TIMESTAMP '2024-01-01 00:00:00'
        ELSE TIMESTAMP '2024-01-02 00:00:00' END, 0 FROM range(500050) r(i)""")
    bird.execute(f"""MERGE INTO delta."{path}" t USING (SELECT i * 1000 AS id FROM range(400) r(i)) s
        ON t.id = s.id AND t.ts = TIMESTAMP '2024-01-01 00:00:00' WHEN MATCHED THEN UPDATE SET v = 1""")
    assert bird.execute(f'SELECT count(*), sum(v), count(DISTINCT id) FROM delta."{path}"').fetchone() == (500050, 400, 500050)


@pytest.mark.parametrize("vectors", MODES)
def test_b80_the_target_as_its_own_source(bird, tmp_path, vectors):
    path = table(bird, tmp_path, "id INT, v STRING, flag BOOLEAN", vectors, values="(1, 'a', true), (2, 'b', false), (3, 'c', NULL)")
    bird.execute(f"""MERGE INTO delta."{path}" t USING (SELECT *, true AS gone FROM delta."{path}" WHERE id <= 2) s ON t.id = s.id
        WHEN MATCHED AND s.gone AND s.flag THEN DELETE""")
    assert bird_rows(bird, path) == [(2, "b", False), (3, "c", None)]
    assert os.path.exists(path)
