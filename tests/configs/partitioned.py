"""No property partitions a table, so where the other configurations are statements that run first, this one edits the file's own: a CREATE
TABLE that lists the columns of a Delta table gets a PARTITIONED BY of the last column that may be one. A table of one column, one that
says itself how it lies, and CREATE TABLE AS stay as they are; a file that has no other tables does not run under it."""
import re

CREATE = re.compile(r"""^\s*(?:EXPLAIN\s+)?CREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?
    (?P<name>(?:`[^`]+`|"[^"]+"|[\w.])+)\s*\(""", re.I | re.M | re.X)
USING = re.compile(r"\s*USING\s+delta", re.I)
HAS_ITS_OWN = re.compile(r"PARTITIONED\s+BY|CLUSTER\s+BY|\bAS\s+(SELECT|FROM|VALUES)", re.I)
NO_COLUMN = re.compile(r"(CHECK|CONSTRAINT|PRIMARY|UNIQUE|FOREIGN)\b", re.I)
NO_PARTITION = re.compile(r"STRUCT|MAP|ARRAY|BINARY|BLOB|VARIANT|VOID|IDENTITY|\[", re.I)


def edit(sql):
    create = CREATE.search(sql)
    if not create or HAS_ITS_OWN.search(sql):
        return sql
    columns, end = columns_from(sql, create.end())
    using = USING.match(sql, end)
    fit = [column for column in columns if not NO_PARTITION.search(column)]
    if len(columns) < 2 or not fit or not (using or re.match("delta[.]|lake[.]", create["name"])):
        return sql
    end = using.end() if using else end
    return f"{sql[:end]} PARTITIONED BY ({fit[-1].split()[0]}){sql[end:]}"


def columns_from(sql, start):
    """The columns listed from `start`, behind the parenthesis that opens the list, and where the list ends."""
    parts, open_, begin = [], [], start
    for at in range(start, len(sql)):
        if sql[at] in "([" or (sql[at] == "<" and sql[at - 1].isalpha()):  # ARRAY<INT>, and not a < 100
            open_.append({"(": ")", "[": "]", "<": ">"}[sql[at]])
        elif open_ and sql[at] == open_[-1]:
            open_.pop()
        elif not open_ and sql[at] in ",)":
            parts.append(sql[begin:at].strip())
            begin = at + 1
            if sql[at] == ")":
                break
    return [part for part in parts if not NO_COLUMN.match(part)], begin
