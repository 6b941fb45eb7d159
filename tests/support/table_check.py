"""An independent look at a Delta table in a folder, by the words of PROTOCOL.md alone (JSON and pyarrow, none of our code): the log
has no gaps, every live file is there with the size and rows that the log says, statistics are true of its rows, vectors
have the cardinality that they claim, row ids are unique, and each checkpoint is what replay gives."""
import glob
import json
import math
import os
import struct
import urllib.parse

import pyarrow.compute as pc
import pyarrow.parquet as pq


class Fault(AssertionError):
    """What is wrong with which table."""


def tables_under(folder):
    return sorted(os.path.dirname(log) for log in glob.glob(f"{folder}/**/_delta_log", recursive=True))


def key_of(file):
    vector = file.get("deletionVector")
    return file["path"], vector and (vector["storageType"], vector["pathOrInlineDv"], vector.get("offset"))


class State:
    def __init__(self):
        self.files, self.protocol, self.metadata, self.domains, self.transactions = {}, None, None, {}, {}

    def apply(self, actions):
        # Removes first: an overwrite may take a path out and put it back with another vector.
        for action in actions:
            if "remove" in action:
                self.files.pop(key_of(action["remove"]), None)
        for action in actions:
            if "add" in action:
                self.files[key_of(action["add"])] = action["add"]
            elif "protocol" in action:
                self.protocol = action["protocol"]
            elif "metaData" in action:
                self.metadata = action["metaData"]
            elif "domainMetadata" in action:
                self.domains[action["domainMetadata"]["domain"]] = action["domainMetadata"]
            elif "txn" in action:
                self.transactions[action["txn"]["appId"]] = action["txn"]["version"]


def check_commit(version, actions, where):
    paths = [key_of(a[kind]) for a in actions for kind in ("add", "remove") if kind in a]
    if len(paths) != len(set(paths)):
        raise Fault(f"{where}: version {version} names one file twice")
    if sum("metaData" in a for a in actions) > 1 or sum("protocol" in a for a in actions) > 1:
        raise Fault(f"{where}: version {version} has two metadata or protocol actions")
    if "commitInfo" not in actions[0]:
        raise Fault(f"{where}: version {version} does not begin with commitInfo")


def check_table(root):
    """Returns the number of live files; raises Fault."""
    log = f"{root}/_delta_log"
    commits = sorted(f for f in os.listdir(log) if f.endswith(".json") and len(f) == 25 and f[:20].isdigit())
    if not commits or int(commits[0][:20]) != 0:
        return None  # its beginning was cleaned up: nothing to replay from
    state, states = State(), {}
    for expected, name in enumerate(commits):
        version = int(name[:20])
        if version != expected:
            raise Fault(f"{root}: version {expected} is missing")
        with open(f"{log}/{name}", encoding="utf-8") as lines:
            actions = [json.loads(line) for line in lines if line.strip()]
        ours = "Birdfoot" in json.dumps(actions[0].get("commitInfo", {}).get("engineInfo", ""))
        if ours:
            check_commit(version, actions, root)
        state.apply(actions)
        states[version] = dict(state.files)
    for add in state.files.values():
        check_file(root, state, add)
    check_row_ids(root, state)
    for checkpoint in glob.glob(f"{log}/*.checkpoint*.parquet"):
        check_checkpoint(checkpoint, states, root)
    return len(state.files)


def physical_path(root, path):
    return path if os.path.isabs(path) else os.path.join(root, urllib.parse.unquote(path))


def check_file(root, state, add):
    where = f"{root}: {add['path']}"
    path = physical_path(root, add["path"])
    if not os.path.exists(path):
        raise Fault(f"{where} is live and not there")
    if os.path.getsize(path) != add["size"]:
        raise Fault(f"{where} has {os.path.getsize(path)} bytes, the log says {add['size']}")
    if set(add["partitionValues"]) != set(partition_names(state.metadata)):
        raise Fault(f"{where} has the partition values {add['partitionValues']}")
    stats = json.loads(add["stats"]) if add.get("stats") else {}
    vector = add.get("deletionVector")
    if vector:
        check_vector(root, vector, stats, where)
    if stats:
        check_statistics(path, stats, where, tight=stats.get("tightBounds", True) and not vector)


def partition_names(metadata):
    names = metadata["partitionColumns"]
    fields = {f["name"]: f for f in json.loads(metadata["schemaString"])["fields"]}
    return [fields[n]["metadata"].get("delta.columnMapping.physicalName", n) for n in names]


def check_vector(root, vector, stats, where):
    if "numRecords" not in stats:
        raise Fault(f"{where} has a vector and no numRecords")
    if not 0 < vector["cardinality"] <= stats["numRecords"]:
        raise Fault(f"{where}: the vector's cardinality is {vector['cardinality']} of {stats['numRecords']} rows")
    data = vector_bytes(root, vector, where)
    rows = rows_of_bitmap(data)
    if len(rows) != vector["cardinality"]:
        raise Fault(f"{where}: the vector has {len(rows)} rows, its cardinality is {vector['cardinality']}")
    if rows and max(rows) >= stats["numRecords"]:
        raise Fault(f"{where}: the vector names row {max(rows)} of {stats['numRecords']}")


Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def z85(text):
    out = b""
    for i in range(0, len(text), 5):
        number = 0
        for character in text[i:i + 5]:
            number = number * 85 + Z85.index(character)
        out += struct.pack(">I", number)
    return out


def vector_bytes(root, vector, where):
    text = vector["pathOrInlineDv"]
    if vector["storageType"] == "i":
        return z85(text)[:vector["sizeInBytes"]]
    if vector["storageType"] == "u":
        name = z85(text[-20:]).hex()
        name = "-".join((name[:8], name[8:12], name[12:16], name[16:20], name[20:]))
        prefix = text[:-20]
        path = os.path.join(root, prefix, f"deletion_vector_{name}.bin")
    else:
        path = text.removeprefix("file:")
    with open(path, "rb") as file:
        content = file.read()
    if content[0] != 1:
        raise Fault(f"{where}: the vector's file has format {content[0]}")
    offset = vector["offset"]
    (size,) = struct.unpack(">I", content[offset:offset + 4])
    if size != vector["sizeInBytes"]:
        raise Fault(f"{where}: the vector has {size} bytes, the log says {vector['sizeInBytes']}")
    data = content[offset + 4:offset + 4 + size]
    import zlib
    (checksum,) = struct.unpack(">I", content[offset + 4 + size:offset + 8 + size])
    if zlib.crc32(data) != checksum:
        raise Fault(f"{where}: the vector's checksum is wrong")
    return data


def rows_of_bitmap(data):
    """A RoaringBitmapArray (PROTOCOL.md, "Deletion Vector Format") in the portable form."""
    magic, count = struct.unpack("<iq", data[:12])
    if magic != 1681511377:
        raise Fault(f"the vector's magic number is {magic}")
    at, rows = 12, []
    for _ in range(count):
        (high,) = struct.unpack("<I", data[at:at + 4])
        at, low = roaring32(data, at + 4)
        rows += [(high << 32) | value for value in low]
    if at != len(data):
        raise Fault(f"the vector has {len(data) - at} bytes too many")
    return rows


def roaring32(data, at):
    start = at
    (cookie,) = struct.unpack("<I", data[at:at + 4])
    at += 4
    if cookie & 0xFFFF == 12347:
        size = (cookie >> 16) + 1
        runs = data[at:at + (size + 7) // 8]
        at += (size + 7) // 8
        has_offsets = size >= 4
    else:
        (size,) = struct.unpack("<I", data[at:at + 4])
        at += 4
        runs, has_offsets = bytes((size + 7) // 8), True
    keys = [struct.unpack("<HH", data[at + 4 * i:at + 4 * i + 4]) for i in range(size)]
    at += 4 * size + (4 * size if has_offsets else 0)
    values = []
    for i, (key, cardinality) in enumerate(keys):
        if runs[i // 8] >> (i % 8) & 1:
            (number,) = struct.unpack("<H", data[at:at + 2])
            at += 2
            for _ in range(number):
                first, length = struct.unpack("<HH", data[at:at + 4])
                at += 4
                values += [(key << 16) | v for v in range(first, first + length + 1)]
        elif cardinality + 1 <= 4096:
            values += [(key << 16) | v for v in struct.unpack(f"<{cardinality + 1}H", data[at:at + 2 * cardinality + 2])]
            at += 2 * cardinality + 2
        else:
            words = struct.unpack("<1024Q", data[at:at + 8192])
            at += 8192
            values += [(key << 16) | (64 * w + b) for w, word in enumerate(words) for b in range(64) if word >> b & 1]
    assert at > start
    return at, values


def check_statistics(path, stats, where, tight):
    table = pq.read_table(path)
    if stats.get("numRecords") is not None and stats["numRecords"] != table.num_rows:
        raise Fault(f"{where} has {table.num_rows} rows, its statistics say {stats['numRecords']}")
    for name in table.column_names:
        column = table.column(name)
        for kind, value in (("nullCount", stats.get("nullCount", {}).get(name)), ("minValues", stats.get("minValues", {}).get(name)),
                            ("maxValues", stats.get("maxValues", {}).get(name))):
            check_statistic(column, kind, value, f"{where}, column {name}", tight)


def check_statistic(column, kind, value, where, tight):
    import pyarrow as pa

    if value is None:
        return
    if isinstance(value, dict):
        if pa.types.is_struct(column.type):
            for field, part in value.items():
                flat = pc.struct_field(column, field)  # a NULL struct makes its fields NULL
                check_statistic(flat, kind, part, f"{where}.{field}", tight)
        return
    if kind == "nullCount":
        if column.null_count != value and tight:
            raise Fault(f"{where} has {column.null_count} NULLs, its statistics say {value}")
        return
    values = [v for v in column.to_pylist() if v is not None and not (isinstance(v, float) and math.isnan(v))]
    for v in values:
        text, bound = comparable(v, value)
        if bound is None:
            return
        if (kind == "minValues" and text < bound) or (kind == "maxValues" and text > bound):
            raise Fault(f"{where} has the value {v}, its statistics say {kind} {value}")


def comparable(value, bound):
    """Both in one form; (None, None) where the bound says nothing exact."""
    import datetime
    import decimal

    if isinstance(value, datetime.datetime):
        bound = datetime.datetime.fromisoformat(bound.replace("Z", "+00:00"))
        if value.tzinfo is None:
            bound = bound.replace(tzinfo=None)
        # Spark cuts timestamps to milliseconds: a maximum may lie up to one below the value.
        return value.replace(microsecond=value.microsecond // 1000 * 1000), bound.replace(microsecond=bound.microsecond // 1000 * 1000)
    if isinstance(value, datetime.date):
        return value.isoformat(), bound
    if isinstance(value, decimal.Decimal):
        return value, decimal.Decimal(str(bound))
    if isinstance(value, str):
        return value.encode(), bound.encode()
    if isinstance(value, (int, float)) and not isinstance(bound, str):
        return value, bound
    return None, None


def check_row_ids(root, state):
    if "delta.rowTracking" not in state.domains or state.metadata.get("configuration", {}).get("delta.enableRowTracking") != "true":
        return
    spans = []
    for add in state.files.values():
        if add.get("baseRowId") is None or add.get("defaultRowCommitVersion") is None:
            raise Fault(f"{root}: {add['path']} has no row ids")
        spans.append((add["baseRowId"], add["baseRowId"] + json.loads(add["stats"])["numRecords"]))
    spans.sort()
    for (_, end), (start, _) in zip(spans, spans[1:]):
        if start < end:
            raise Fault(f"{root}: two files have the row id {start}")
    mark = json.loads(state.domains["delta.rowTracking"]["configuration"])["rowIdHighWaterMark"]
    if spans and spans[-1][1] - 1 > mark:
        raise Fault(f"{root}: the row id {spans[-1][1] - 1} is above the high-water mark {mark}")


def check_checkpoint(checkpoint, states, root):
    name = os.path.basename(checkpoint)
    version = int(name.split(".")[0])
    if version not in states or name.count(".") > 3:  # of several parts: read together, not here
        return
    rows = pq.read_table(checkpoint)
    adds = [row for row in rows.column("add").to_pylist() if row] if "add" in rows.column_names else []
    if "sidecar" in rows.column_names:
        for sidecar in filter(None, rows.column("sidecar").to_pylist()):
            part = pq.read_table(f"{root}/_delta_log/_sidecars/{sidecar['path']}")
            adds += [row for row in part.column("add").to_pylist() if row]
    found = {key_of(add) for add in adds}
    if found != set(states[version]):
        raise Fault(f"{root}: the checkpoint of version {version} has {len(found)} files, the log {len(states[version])}")
