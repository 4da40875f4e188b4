"""The stores of tests, on either backend: SQLite's files, or with SEGUE_TEST_STORE=postgresql schemas of the test's own server.
A path stands for its schema, too.
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import unittest

import postgresql

SUFFIXES = "", "-wal", "-shm", "-journal"  # of a store's files


def schema_of(path):
    return "s" + hashlib.sha1(os.path.realpath(path).encode()).hexdigest()[:16]


def store_name(path):
    """The store of this path, as --store takes it."""
    return postgresql.own_server().store(schema_of(path)) if postgresql.is_chosen() else f"sqlite:{path}"


def files_only(reason):
    """Decorator: this test is about SQLite's files."""
    return unittest.skipIf(postgresql.is_chosen(), f"on PostgreSQL: {reason}")


def skip_unless_files(reason):
    """The whole program is about SQLite's files: CTest counts it as skipped on PostgreSQL."""
    if postgresql.is_chosen():
        print(f"skipped: on PostgreSQL: {reason}", flush=True)
        raise SystemExit(77)


def run_in_schema(path, statements):
    return postgresql.own_server().run(f"SET search_path = {schema_of(path)}; {statements}")


def value_of(value):
    """A value of PostgreSQL's JSON; bytes come as text."""
    return bytes.fromhex(value[2:]) if isinstance(value, str) and re.fullmatch(r"\\x([0-9a-f]{2})*", value) else value


def query(path, statement):
    """The rows that a SELECT gives of the store of this path."""
    if postgresql.is_chosen():
        rows = run_in_schema(path, f"SELECT coalesce(json_agg(r.v), '[]') FROM ({statement}) AS q, "
                                   "LATERAL (SELECT json_agg(e.value) AS v FROM json_each(row_to_json(q)) AS e) AS r")
        return [tuple(map(value_of, row)) for row in json.loads("".join(rows))]
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(statement).fetchall()


def open_rows(path):
    """A connection of SQLite to the rows of the store of this path: its file, or a copy in memory."""
    if not postgresql.is_chosen():
        return sqlite3.connect(path)
    db = sqlite3.connect(":memory:")
    for table, in query(path, f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema_of(path)}'"):
        columns = [f"{name} {'REAL' if kind == 'double precision' else ''}" for name, kind in  # 1.0 is 1 in JSON
                   query(path, "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = "
                               f"'{schema_of(path)}' AND table_name = '{table}' ORDER BY ordinal_position")]
        db.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", query(path, f"SELECT * FROM {table}"))
    return db


def change(path, *statements):
    """INSERT, UPDATE or DELETE in the store of this path, in one transaction; each must change a row."""
    if not postgresql.is_chosen():
        with contextlib.closing(sqlite3.connect(path)) as db, db:
            for text in statements:
                assert db.execute(text).rowcount > 0, text
        return
    counted = [f"WITH q AS ({re.sub('zeroblob[(]([0-9]+)[)]', zeros, text)} RETURNING 1) SELECT count(*) FROM q" for text in statements]
    counts = run_in_schema(path, "; ".join(["BEGIN", *counted, "COMMIT"]))
    assert len(counts) == len(statements) and "0" not in counts, (statements, counts)


def bytes_literal(data):
    """Bytes in a statement."""
    return f"decode('{data.hex()}', 'hex')" if postgresql.is_chosen() else f"X'{data.hex()}'"


def zeros(found):
    return f"decode(repeat('00', {found.group(1)}), 'hex')"


def is_stored(path):
    """There is something of a store of this path."""
    if postgresql.is_chosen():
        return query(path, f"SELECT count(*) FROM pg_tables WHERE schemaname = '{schema_of(path)}'") != [(0,)]
    return any(os.path.lexists(f"{path}{suffix}") for suffix in SUFFIXES)


def allow_nulls(path):
    """Let columns of the store be NULL, as a damaged one's may."""
    if postgresql.is_chosen():
        for table, column in query(path, "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE "
                                         f"c.relnamespace = '{schema_of(path)}'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND a.attnotnull "
                                         "AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY(i.indkey) AND i.indisprimary)"):
            run_in_schema(path, f"ALTER TABLE {table} ALTER {column} DROP NOT NULL")
        return
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")


def remove_store(path):
    if postgresql.is_chosen():
        postgresql.own_server().run(f"SET client_min_messages = error; DROP SCHEMA IF EXISTS {schema_of(path)} CASCADE")
        return
    for suffix in SUFFIXES:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")


def copy_store(path, to):
    """Replace the store of path `to` by a copy of another one, row by row as it is."""
    remove_store(to)
    if not postgresql.is_chosen():
        with contextlib.closing(sqlite3.connect(path)) as db, contextlib.closing(sqlite3.connect(to)) as copy:
            db.backup(copy)
        return
    server = postgresql.own_server()
    dump = subprocess.run(["pg_dump", "-h", server.folder, "-U", "postgres", "-n", schema_of(path), "postgres"],
                          check=True, capture_output=True, text=True).stdout
    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-h", server.folder, "-U", "postgres", "-d", "postgres"], check=True,
                   capture_output=True, text=True, input=dump.replace(schema_of(path), schema_of(to)))


def import_copy(program, path, to):
    """Export a store and import it as another one."""
    export = f"{to}.jsonl"
    for word, store in ("export", path), ("import", to):
        subprocess.run([program, "store", word, "--store", store_name(store), "--file", export], check=True, capture_output=True)
