// Internal to table_facts.cpp: its queries. Gaps are filled by the server's version.
#pragma once

namespace walspout::postgres {

// What pgoutput publishes, read from the tables behind pg_publication_tables, as that view locks.
// `covered` is everything listed and all partitions beneath; the topmost ones stand for the rest,
// or without publish_via_partition_root the leaves do. {0}: schemas (15+), {1}: filter and column
// list (15+), {2}: what keeps them from counting, {3}: generated columns (18+), {4}: a partition
// that is being detached concurrently is one no more (14+).
constexpr const char* kTables =
    "WITH RECURSIVE pub AS (SELECT p.oid, puballtables, pubviaroot, {3} AS gencols, "
    "CASE WHEN pubinsert THEN 'i' ELSE '' END || CASE WHEN pubupdate THEN 'u' ELSE '' END || "
    "CASE WHEN pubdelete THEN 'd' ELSE '' END || CASE WHEN pubtruncate THEN 't' ELSE '' END "
    "AS operations FROM pg_publication p WHERE pubname = $1), "
    "listed AS (SELECT r.prrelid AS relid, r.oid AS membership FROM pub "
    "JOIN pg_publication_rel r ON r.prpubid = pub.oid "
    "UNION ALL SELECT c.oid, pub.oid FROM pub JOIN pg_class c ON puballtables AND c.oid >= 16384"
    "{0}), "
    "covered AS (SELECT relid, membership, false AS below FROM listed "
    "JOIN pg_class c ON c.oid = relid AND c.relkind IN ('r', 'p') AND c.relpersistence = 'p' "
    "UNION SELECT i.inhrelid, membership, true FROM covered "
    "JOIN pg_inherits i ON i.inhparent = relid {4} "
    "JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition), "
    "tops AS (SELECT relid, bool_or(below) AS below, string_agg(DISTINCT membership::text, ' ') "
    "AS memberships FROM covered GROUP BY relid) "
    "SELECT c.oid, n.nspname, c.relname, c.relkind, c.relreplident, c.relfilenode, pub.operations, "
    "pub.gencols, tops.memberships, {1}, "
    "(SELECT string_agg(k.attnum::text, ' ' ORDER BY k.ord) FROM pg_index i, "
    "unnest(i.indkey) WITH ORDINALITY k(attnum, ord) WHERE i.indrelid = c.oid AND i.indisprimary "
    "AND i.indimmediate AND k.ord <= i.indnkeyatts), "
    "(SELECT string_agg(k.attnum::text, ' ' ORDER BY k.ord) FROM pg_index i, "
    "unnest(i.indkey) WITH ORDINALITY k(attnum, ord) WHERE i.indrelid = c.oid AND i.indimmediate "
    "AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident "
    "ELSE false END AND k.ord <= i.indnkeyatts), "
    "(SELECT oid FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p') "
    "FROM pub CROSS JOIN tops JOIN pg_class c ON c.oid = tops.relid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "LEFT JOIN pg_publication_rel r ON r.prpubid = pub.oid AND r.prrelid = c.oid {2} "
    "WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p' "
    "AND CASE WHEN pub.pubviaroot THEN NOT tops.below ELSE c.relkind = 'r' END "
    "ORDER BY n.nspname, c.relname";

// Of a filter, and the column list. The parse tree says where in the statement each part stood.
constexpr const char* kFingerprint =
    "md5(regexp_replace(r.prqual::text, ':location -?[0-9]+', '', 'g')), r.prattrs::text";

constexpr const char* kAttributes =
    "SELECT attrelid, attnum, attname, atttypid, atttypmod, xmin, attgenerated, attnotnull, "
    "attisdropped, atthasdef, CASE WHEN atthasmissing THEN array_to_string(attmissingval, '') END "
    "FROM pg_attribute WHERE attrelid = ANY ($1::oid[]) AND attnum > 0 ORDER BY attrelid, attnum";

constexpr const char* kLeaves =
    "WITH RECURSIVE tree AS (SELECT t AS root, t AS relid, '' AS edges FROM unnest($1::oid[]) t "
    "UNION ALL SELECT root, i.inhrelid, edges || i.inhrelid || ' ' || i.xmin::text || ' ' "
    "FROM tree JOIN pg_inherits i ON i.inhparent = relid {0} "
    "JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition) "
    "SELECT root, c.oid, c.relfilenode, n.nspname, c.relname, edges FROM tree "
    "JOIN pg_class c ON c.oid = relid AND c.relkind <> 'p' "
    "JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY root, c.oid";

// A root stores nothing, so that its leaves know what a column's old rows show.
constexpr const char* kLeafMissing =
    "SELECT root, name, bool_and(has) AND min(value) = max(value), min(value) FROM "
    "(SELECT t.root, a.attname AS name, a.atthasmissing AS has, "
    "array_to_string(a.attmissingval, '') COLLATE \"C\" AS value "
    "FROM unnest($1::oid[], $2::oid[]) t(root, leaf) JOIN pg_attribute a ON a.attrelid = t.leaf "
    "AND a.attnum > 0 AND NOT a.attisdropped) leaves GROUP BY root, name HAVING bool_or(has)";

// All types that those given are made of, with labels and members, and the transactions that wrote
// what CREATE TYPE did not: it writes all labels in one command, as no other statement does, and
// all attributes in the command that writes the type.
constexpr const char* kTypes =
    "WITH RECURSIVE used AS (SELECT t AS root, t AS oid FROM unnest($1::oid[]) t "
    "UNION SELECT root, part.oid FROM used JOIN pg_type t ON t.oid = used.oid CROSS JOIN LATERAL ("
    "SELECT t.typbasetype AS oid WHERE t.typtype = 'd' "
    "UNION ALL SELECT t.typelem WHERE t.typlen = -1 AND t.typelem <> 0 "
    "UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE r.rngtypid = t.oid {0} "
    "UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE t.typtype = 'c' "
    "AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) part "
    "WHERE part.oid >= 16384) "
    "SELECT root, t.oid, n.nspname || '.' || t.typname, t.typbasetype, e.oid, e.enumlabel, "
    "a.attnum, "
    "CASE WHEN NOT (e.xmin = t.xmin AND e.cmin = t.cmin) AND count(*) OVER "
    "(PARTITION BY root, t.oid, e.xmin::text, e.cmin::text) = 1 THEN e.xmin END, "
    "(SELECT string_agg(x.xmin::text, ' ') FROM pg_attribute x WHERE t.typtype = 'c' "
    "AND x.attrelid = t.typrelid AND x.attnum > 0 AND NOT (x.xmin = t.xmin AND x.cmin = t.cmin)) "
    "FROM used JOIN pg_type t ON t.oid = used.oid "
    "JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_enum e ON e.enumtypid = t.oid "
    "LEFT JOIN pg_attribute a ON t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 "
    "AND NOT a.attisdropped ORDER BY root, t.oid, e.oid, a.attnum";

}  // namespace walspout::postgres
