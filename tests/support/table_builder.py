"""Delta tables made by hand: data files by pyarrow, the log as the test says, so that a test can hold any state that some
writer may have left behind. Deletion vectors are made with pyroaring, an implementation that is not ours."""
import base64
import json
import os
import struct
import zlib

import pyarrow as pa
import pyarrow.parquet as pq

ROARING_MAGIC = 1681511377


class Table:
    def __init__(self, path, fields, partition=(), config=None, protocol=None, create=True):
        """`fields`: name -> type, or name -> a whole field (a dict), in the order of the schema."""
        self.path = str(path)
        self.log = os.path.join(self.path, "_delta_log")
        self.partition = list(partition)
        self.version = -1
        os.makedirs(self.log, exist_ok=True)
        self.protocol = protocol or {"minReaderVersion": 1, "minWriterVersion": 2}
        self.metadata = {
            "id": "11111111-2222-3333-4444-555555555555",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": [
                t if isinstance(t, dict) and "name" in t else
                {"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in fields.items()]}),
            "partitionColumns": self.partition,
            "configuration": config or {},
            "createdTime": 1700000000000,
        }
        if create:
            self.commit({"protocol": self.protocol}, {"metaData": self.metadata})

    def commit_path(self, version):
        return os.path.join(self.log, f"{version:020d}.json")

    def commit(self, *actions, mtime_ms=None):
        self.version += 1
        with open(self.commit_path(self.version), "w") as f:
            for action in actions:
                f.write((action if isinstance(action, str) else json.dumps(action)) + "\n")
        if mtime_ms is not None:
            os.utime(self.commit_path(self.version), (mtime_ms / 1000, mtime_ms / 1000))
        return self.version

    def data_file(self, name, table, **options):
        """Writes a data file and gives its add action, without statistics."""
        full = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), full, **options)
        return {"add": {"path": name, "partitionValues": {}, "size": os.path.getsize(full),
                        "modificationTime": 1700000000000, "dataChange": True}}

    def append(self, name, table, stats=None, partition_values=None, dv=None, **options):
        action = self.data_file(name, table, **options)
        if stats is not None:
            action["add"]["stats"] = stats if isinstance(stats, str) else json.dumps(stats)
        if partition_values is not None:
            action["add"]["partitionValues"] = partition_values
        if dv is not None:
            action["add"]["deletionVector"] = dv
        self.commit(action)
        return action


def roaring_bytes(rows):
    from pyroaring import BitMap64

    return struct.pack("<I", ROARING_MAGIC) + BitMap64(rows).serialize()


def z85(data):
    return base64.b85encode(data).translate(bytes.maketrans(
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
        b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#")).decode()


def inline_dv(rows):
    data = roaring_bytes(rows)
    padded = data + b"\0" * (-len(data) % 4)
    return {"storageType": "i", "pathOrInlineDv": z85(padded), "sizeInBytes": len(data), "cardinality": len(set(rows))}


def dv_file(full_path, vectors):
    """Writes the vectors (lists of rows) into one .bin file; gives (offset, size) of each."""
    places = []
    with open(full_path, "wb") as f:
        f.write(b"\x01")
        for rows in vectors:
            data = roaring_bytes(rows)
            places.append((f.tell(), len(data)))
            f.write(struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data)))
    return places


def relative_dv(uuid_bytes, prefix, offset, size, cardinality):
    return {"storageType": "u", "pathOrInlineDv": prefix + z85(uuid_bytes), "offset": offset, "sizeInBytes": size,
            "cardinality": cardinality}


DV_PROTOCOL = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"],
               "writerFeatures": ["deletionVectors"]}
