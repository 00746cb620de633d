-- options: proto_version=1
-- Types that are not built in come before the relation that uses them. pg_user is a row type of
-- pg_catalog with an oid that is not fixed: its schema is sent as an empty string.
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TYPE point3 AS (x int, y int, z int);
CREATE TABLE typed (id bigint PRIMARY KEY, m mood, p positive, c point3, moods mood[], u pg_catalog.pg_user,
                    y information_schema.yes_or_no, at timestamptz(3), raw bytea, ok boolean, f double precision);
-- workload
INSERT INTO typed VALUES (1, 'happy', 5, (1, 2, 3), '{sad,happy}', NULL, 'YES', '2026-01-31 12:00:00.5+00', '\x00ff', true, 'NaN');
