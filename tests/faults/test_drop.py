"""DROP takes a table away whole or not at all."""
import os
import subprocess

import pytest
from engines import BUILD

NOBODY = 65534


def sql(text, user=None):
    return subprocess.run([BUILD / "birdfoot", "sql", text], capture_output=True, text=True, user=user, group=user,
                          extra_groups=[] if user else None)


def another_user_may_run_it():
    """As root alone, and where all folders above the build are open to others."""
    try:
        return os.getuid() == 0 and sql("SELECT 1", user=NOBODY).returncode == 0
    except PermissionError:
        return False


as_another_user = pytest.mark.skipif(not another_user_may_run_it(), reason="needs root, and a build others may run")


def open_to_others(folder):
    """pytest's folders are its user's alone."""
    for above in (folder, *folder.parents[:-1]):
        if above.stat().st_uid == os.getuid() and not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o055)


def make_table(folder):
    assert sql(f"CREATE TABLE delta.`{folder}` AS SELECT 1 AS a").returncode == 0


def rows(folder):
    return sql(f"FROM delta.`{folder}`").stdout


def test_a_link_is_refused_before_anything_is_deleted(tmp_path):
    make_table(tmp_path / "real")
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "link").symlink_to(tmp_path / "real")
    dropped = sql(f"ATTACH '{tmp_path}/lake' AS l (TYPE birdfoot); DROP TABLE l.link")
    assert dropped.returncode == 1 and "symbolic link" in dropped.stderr
    assert "1" in rows(tmp_path / "real")


@as_another_user
def test_a_folder_that_may_not_be_moved_stays_whole(tmp_path):
    open_to_others(tmp_path)
    lake = tmp_path / "lake"
    make_table(lake / "a")
    for path in (lake / "a", *(lake / "a").rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    dropped = sql(f"ATTACH '{lake}' AS l (TYPE birdfoot); DROP TABLE l.a", user=NOBODY)
    assert dropped.returncode == 1 and "Nothing was changed" in dropped.stderr
    assert "1" in rows(lake / "a")


@as_another_user
def test_a_list_of_tables_leaves_out_what_may_not_be_read(tmp_path):
    open_to_others(tmp_path)
    make_table(tmp_path / "a")
    (tmp_path / "private").mkdir(mode=0o700)
    listed = sql(f"ATTACH '{tmp_path}' AS l (TYPE birdfoot, READ_ONLY); SHOW TABLES FROM l", user=NOBODY)
    assert listed.returncode == 0 and " a " in listed.stdout


def test_nothing_is_left_of_a_table_and_a_failed_transaction_brings_it_back(tmp_path):
    make_table(tmp_path / "a")
    make_table(tmp_path / "b")
    assert sql(f"ATTACH '{tmp_path}' AS l (TYPE birdfoot); DROP TABLE l.a").returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["b"]
    kept = sql(f"ATTACH '{tmp_path}' AS l (TYPE birdfoot); BEGIN; DROP TABLE l.b; ROLLBACK; FROM l.b")
    assert kept.returncode == 0 and "1" in kept.stdout
