"""DROP takes a table away whole or not at all."""
import os
import pathlib
import subprocess

import pytest
from engines import BUILD

NOBODY = 65534


def sql(text, user=None):
    return subprocess.run([BUILD / "birdfoot", "sql", text], capture_output=True, text=True, user=user, group=user,
                          extra_groups=[] if user else None)


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


@pytest.mark.skipif(os.getuid() != 0, reason="acts as another user, which takes root; CI is root")
def test_a_folder_that_may_not_be_moved_stays_whole(tmp_path):
    for folder in (tmp_path, *tmp_path.parents[:-1]):
        if folder.stat().st_uid == 0 and folder != pathlib.Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    lake = tmp_path / "lake"
    make_table(lake / "a")
    for path in (lake / "a", *(lake / "a").rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    dropped = sql(f"ATTACH '{lake}' AS l (TYPE birdfoot); DROP TABLE l.a", user=NOBODY)
    assert dropped.returncode == 1 and "Nothing was changed" in dropped.stderr
    assert "1" in rows(lake / "a")


def test_a_list_of_tables_leaves_out_what_may_not_be_read(tmp_path):
    make_table(tmp_path / "a")
    (tmp_path / "private").mkdir(mode=0o700)
    if os.getuid() != 0:
        (tmp_path / "private").chmod(0)
        user = None
    else:
        user = NOBODY
        for folder in (tmp_path, *tmp_path.parents[:-1]):
            if folder != pathlib.Path("/tmp"):
                folder.chmod(folder.stat().st_mode | 0o055)
    listed = sql(f"ATTACH '{tmp_path}' AS l (TYPE birdfoot, READ_ONLY); SHOW TABLES FROM l", user=user)
    assert listed.returncode == 0 and " a " in listed.stdout


def test_nothing_is_left_of_a_table_and_a_failed_transaction_brings_it_back(tmp_path):
    make_table(tmp_path / "a")
    make_table(tmp_path / "b")
    assert sql(f"ATTACH '{tmp_path}' AS l (TYPE birdfoot); DROP TABLE l.a").returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["b"]
    kept = sql(f"ATTACH '{tmp_path}' AS l (TYPE birdfoot); BEGIN; DROP TABLE l.b; ROLLBACK; FROM l.b")
    assert kept.returncode == 0 and "1" in kept.stdout
