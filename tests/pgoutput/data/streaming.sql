-- options: proto_version=2 streaming=on messages=true
-- Transactions larger than logical_decoding_work_mem, which the recorder sets to 64kB. Rows are narrow:
-- a row costs memory by its fixed part, and the capture by its bytes.
CREATE EXTENSION dblink;
CREATE TABLE t (id int PRIMARY KEY);
CREATE TABLE s (v smallint);
CREATE FUNCTION other(what text) RETURNS void LANGUAGE sql AS $$ SELECT dblink_exec('other', what) $$;
-- workload
-- The decoder knows the tables before the large transactions come: it may not look at the catalogue on behalf
-- of one that has aborted by then.
INSERT INTO t VALUES (-1);
INSERT INTO s VALUES (0);
SELECT dblink_connect('other', format('host=%s dbname=%s', current_setting('unix_socket_directories'), current_database()));

-- Two transactions whose blocks take turns; the other one's first subtransaction, which is the one that brings
-- the Relation message, is rolled back after it was streamed, and its later rows rely on that message.
SELECT other('BEGIN');
SELECT other('SAVEPOINT a');
SELECT other('INSERT INTO s SELECT 1 FROM generate_series(1, 600)');
BEGIN;
INSERT INTO t SELECT * FROM generate_series(1, 600);
SELECT pg_logical_emit_message(true, 'in', 'stream');
SELECT other('ROLLBACK TO a');
SELECT other('INSERT INTO s VALUES (2)');
INSERT INTO t SELECT * FROM generate_series(601, 1200);
SELECT other('INSERT INTO s SELECT 3 FROM generate_series(1, 600)');
SELECT other('COMMIT');
INSERT INTO s VALUES (4);
COMMIT;

-- Rolled back as a whole after it was streamed.
BEGIN;
INSERT INTO s SELECT 5 FROM generate_series(1, 600);
ROLLBACK;
-- And one that is small, so that it comes in the ordinary way.
INSERT INTO t VALUES (-2);
