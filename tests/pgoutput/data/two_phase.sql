-- options: proto_version=3 streaming=on two_phase=on
-- two_phase
CREATE TABLE t (id int PRIMARY KEY);
-- workload
BEGIN;
INSERT INTO t VALUES (1);
PREPARE TRANSACTION 'first, then committed';
INSERT INTO t VALUES (2);
COMMIT PREPARED 'first, then committed';
BEGIN;
INSERT INTO t VALUES (3);
PREPARE TRANSACTION 'second, then rolled back';
ROLLBACK PREPARED 'second, then rolled back';
-- Large enough to be streamed before it is prepared.
BEGIN;
INSERT INTO t SELECT * FROM generate_series(10, 700);
PREPARE TRANSACTION 'streamed';
COMMIT PREPARED 'streamed';
