"""A13 of the list of faults that other implementations shipped: the change data feed."""
import pytest


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_b123_every_delete_is_in_the_feed(bird, tmp_path, vectors):
    path = str(tmp_path / "t")
    bird.execute(f"""CREATE TABLE delta."{path}" (id INT, p STRING) USING delta PARTITIONED BY (p)
        TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '{vectors}')""")
    bird.execute(f"INSERT INTO delta.\"{path}\" VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'c')")

    def changes(version):
        return bird.execute(f"SELECT id, p, _change_type FROM table_changes_by_path('{path}', {version}, {version}) ORDER BY ALL").fetchall()

    bird.execute(f'DELETE FROM delta."{path}" WHERE id = 1')
    assert changes(2) == [(1, "a", "delete")]
    bird.execute(f"DELETE FROM delta.\"{path}\" WHERE p = 'c'")
    assert changes(3) == [(4, "c", "delete")]
    bird.execute(f"INSERT INTO delta.\"{path}\" REPLACE WHERE p = 'b' SELECT 30, 'b'")
    assert changes(4) == [(3, "b", "delete"), (30, "b", "insert")]
    bird.execute(f"INSERT OVERWRITE delta.\"{path}\" VALUES (9, 'z')")
    assert changes(5) == [(2, "a", "delete"), (9, "z", "insert"), (30, "b", "delete")]


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_b125_threads_do_not_multiply_the_feed(bird, tmp_path, threads):
    path = str(tmp_path / "t")
    bird.execute(f"CREATE TABLE delta.\"{path}\" (id INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    bird.execute(f"SET threads = {threads}")
    bird.execute(f'INSERT INTO delta."{path}" VALUES (1), (2), (3)')
    assert bird.execute(f"SELECT count(*) FROM table_changes_by_path('{path}', 0)").fetchone() == (3,)
    for first in (1000, 2000):  # several files, of added rows, of removed ones, of change data
        bird.execute(f'INSERT INTO delta."{path}" SELECT i FROM range({first}, {first + 1000}) r(i)')
    bird.execute(f'UPDATE delta."{path}" SET id = -id WHERE id % 10 = 0')
    bird.execute(f'DELETE FROM delta."{path}"')
    changes = bird.execute(f"SELECT _change_type, count(*), count(DISTINCT id) FROM table_changes_by_path('{path}', 0) GROUP BY ALL ORDER BY ALL")
    assert changes.fetchall() == [("delete", 2003, 2003), ("insert", 2003, 2003), ("update_postimage", 200, 200), ("update_preimage", 200, 200)]
