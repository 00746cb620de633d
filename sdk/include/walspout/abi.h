/* walspout/abi.h - the binary contract between the host and a sink plugin.
 *
 * Plain C11. No C++ type, exception, allocation or FILE* ever crosses it.
 *
 * Growth rules (ABI 1.x):
 *   1. A struct that starts with struct_size may gain fields at its end. It is
 *      always reached through a pointer, never stored by value in an array.
 *      Read a field only if struct_size covers it: WALSPOUT_HAS(p, field).
 *   2. walspout_str, walspout_value, walspout_option and walspout_setting are stored by value
 *      in arrays. They are frozen.
 *   3. Enumerators may be added. The host sends a sink only those its
 *      abi_minor knows, and takes an unknown status for WALSPOUT_FATAL.
 *   4. Anything else is ABI 2, with a new entry symbol (walspout_plugin_v2).
 *
 * Lifetimes: what the host passes to a call is valid until that call returns,
 * except walspout_host, which is valid from open until close has returned.
 *
 * Threads: [sink] = one call at a time per sink, all on one thread, which the
 * host keeps for this sink. [any] = any thread, concurrently. */
#ifndef WALSPOUT_ABI_H
#define WALSPOUT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WALSPOUT_ABI_MAJOR 1
#define WALSPOUT_ABI_MINOR 0
#define WALSPOUT_ENTRY_NAME "walspout_plugin_v1"

#if defined(_WIN32)
#define WALSPOUT_EXPORT __declspec(dllexport)
#else
#define WALSPOUT_EXPORT __attribute__((visibility("default")))
#endif

/* True if the struct at p, as its writer knew it, has this field. */
#define WALSPOUT_HAS(p, field) \
  ((p)->struct_size >= (size_t)((const char*)&(p)->field - (const char*)(p)) + sizeof(p)->field)

typedef struct walspout_instance walspout_instance; /* one open sink; the plugin defines it */
typedef uint64_t walspout_lsn;                      /* a PostgreSQL WAL position; 0 = none */

/* Bytes, not NUL-terminated. Frozen. */
typedef struct walspout_str {
  const char* data;
  size_t size;
} walspout_str;

/* ---- status ------------------------------------------------------------ */

typedef int32_t walspout_status;
enum {
  WALSPOUT_OK = 0,
  WALSPOUT_RETRY = 1, /* nothing of this call was taken: the host makes the same call again later */
  WALSPOUT_REOPEN = 2, /* accepted data may be lost: close, open, replay from position */
  WALSPOUT_POISON =
      3, /* one change can never be applied: error names it. From write: nothing of this call was
            taken, the host resends without it. From flush: as REOPEN, and the change is named */
  WALSPOUT_CONFIG = 4, /* wrong settings or target: the operator must act */
  WALSPOUT_FATAL = 5   /* stop the pipeline */
};

/* The host owns it and zeroes it before each call; the sink fills it. */
typedef struct walspout_error {
  uint32_t struct_size;
  uint32_t retry_after_ms; /* 0 = the host's own backoff */
  walspout_lsn commit_lsn; /* WALSPOUT_POISON: the change, by its identity, */
  uint64_t ordinal;        /* as flush may find it long after write took it */
  char message[1024];      /* UTF-8, NUL-terminated, one line */
  uint64_t copy_id; /* WALSPOUT_POISON: not 0 when the change is a row of this copy, which has no
                       identity of its own: it is the copy that fails */
} walspout_error;

/* ---- data -------------------------------------------------------------- */

/* State of one column in one row. */
enum {
  WALSPOUT_NULL = 0,
  WALSPOUT_TEXT = 1,      /* the type's text output; UTF-8 unless the database is SQL_ASCII */
  WALSPOUT_BINARY = 2,    /* the type's binary send format (WALSPOUT_CAP_BINARY only) */
  WALSPOUT_UNCHANGED = 3, /* TOASTed and not sent: keep what you have */
  WALSPOUT_ABSENT = 4     /* not part of this old row, as it is no key column */
};

/* Frozen. 16 bytes on LP64. */
typedef struct walspout_value {
  const void* data;
  uint32_t size;
  uint8_t state;
  uint8_t reserved[3];
} walspout_value;

enum {
  WALSPOUT_COLUMN_KEY = 1,     /* part of the replica identity */
  WALSPOUT_COLUMN_PRIMARY = 2, /* part of the primary key, as the catalog says now */
  WALSPOUT_COLUMN_NOT_NULL = 4,
  WALSPOUT_COLUMN_GENERATED = 8
};

/* type_oid is what the table says. base_type_oid is that type with domains resolved (the same
 * oid for any other type); for an array element_type_oid is its elements' type, domains resolved,
 * else 0. Values are always in the form of base_type_oid. */
typedef struct walspout_column {
  uint32_t struct_size;
  uint32_t flags;
  uint32_t type_oid;
  uint32_t base_type_oid;
  uint32_t element_type_oid;
  int32_t type_mod;    /* of base_type_oid (a domain's own modifier), as atttypmod; -1 = none */
  int16_t attnum;      /* pg_attribute.attnum where the catalogue knows it, else 0 */
  int16_t key_ordinal; /* place in the primary key, or without one in the replica identity, from 1;
                          0 = none */
  uint32_t reserved;
  walspout_str name;
  walspout_str type_name; /* of type_oid, as format_type() prints it, without the modifier */
} walspout_column;

/* One version of a table's shape. version is unique per host run and table
 * shape: cache prepared statements by it. */
typedef struct walspout_relation {
  uint32_t struct_size;
  uint32_t oid;
  uint64_t version;
  walspout_str schema;
  walspout_str name;
  uint32_t column_count;
  char replica_identity; /* 'd' 'n' 'f' 'i', as in pg_class.relreplident */
  uint8_t reserved[3];
  const walspout_column* const* columns;
} walspout_relation;

enum {
  WALSPOUT_INSERT = 1,
  WALSPOUT_UPDATE = 2,
  WALSPOUT_DELETE = 3,
  WALSPOUT_TRUNCATE = 4,   /* one change per table, in the order PostgreSQL sent */
  WALSPOUT_SCHEMA = 5,     /* the shape changed: old_relation (or NULL) -> relation */
  WALSPOUT_MESSAGE = 6,    /* pg_logical_emit_message(): prefix and content */
  WALSPOUT_COPY_BEGIN = 7, /* relation will be copied anew under copy_id: keep the old rows
                              readable, start a shadow; one that another copy of the table left
                              behind goes. A copy outlives close and open: it goes on without
                              another COPY_BEGIN */
  WALSPOUT_COPY_END = 8,   /* the copy is complete: swap it in, atomically with this transaction */
  WALSPOUT_COPY_FAILED = 9 /* the copy will not be completed: drop its shadow, keep the old rows.
                              content says why, for whoever looks at the target; empty = it is not
                              wanted any more. copy_id 0: the table itself is given up, its rows
                              are not kept in step from here on */
};
enum {
  WALSPOUT_OLD_FULL = 1,
  WALSPOUT_TRUNCATE_CASCADE = 2,
  WALSPOUT_TRUNCATE_RESTART_IDENTITY = 4
};

typedef struct walspout_change {
  uint32_t struct_size;
  uint16_t op;
  uint16_t flags;
  uint64_t ordinal; /* place among rows, truncates and messages of the source transaction, counted
                       before any filter and after aborted subtransactions are cut; SCHEMA and
                       COPY_* carry the next change's. Rows of a copy: their place in the whole
                       copy, over all of its transactions */
  walspout_lsn lsn; /* of this change's WAL record; for information only, it orders nothing */
  const walspout_relation* relation;     /* NULL for WALSPOUT_MESSAGE */
  const walspout_relation* old_relation; /* WALSPOUT_SCHEMA only */
  const int32_t* old_index;   /* WALSPOUT_SCHEMA: for each column of relation its index in
                                 old_relation, -1 = new */
  const walspout_value* fill; /* WALSPOUT_SCHEMA: NULL, or column_count values: for each new column
                                 what old rows have at the source, WALSPOUT_ABSENT for the others */
  const walspout_value* old_row; /* column_count values, or NULL */
  const walspout_value* new_row; /* column_count values, or NULL */
  walspout_str prefix;           /* WALSPOUT_MESSAGE */
  walspout_str content;          /* WALSPOUT_MESSAGE, WALSPOUT_COPY_FAILED */
  uint64_t copy_id; /* not 0: this change goes to the shadow of this copy and not to the table
                       (WALSPOUT_CAP_SHADOW only). In one transaction there may be both kinds; a
                       change that both need comes twice, with one ordinal */
} walspout_change;

enum {
  WALSPOUT_TXN_COMMIT = 0, /* a committed transaction */
  WALSPOUT_TXN_SNAPSHOT =
      1 /* rows of a copy: COPY_BEGIN, INSERTs in as many transactions as it takes, COPY_END, with
           ordinary transactions in between. A row replaces the one of the same key: changes of a
           part that was not read yet may have come before it, and a part may be read again after a
           break. So in a shadow an update or delete may find no row, which is no mistake: the row
           comes with its part */
};

typedef struct walspout_txn {
  uint32_t struct_size;
  uint32_t kind;
  uint32_t xid; /* 0 for a snapshot */
  uint32_t reserved;
  walspout_lsn commit_lsn; /* orders transactions; (commit_lsn, change->ordinal) is a stable event
                              id, snapshots aside */
  walspout_lsn
      end_lsn; /* first byte after the commit record; 0 before the LAST piece, which brings it */
  walspout_lsn position;   /* persist this with the data; 0 = do not move yours. Counts in the LAST
                              piece only */
  uint64_t copy_id;        /* WALSPOUT_TXN_SNAPSHOT: the copy that its rows belong to, part of their
                              events' identity. Where they go says each change's own copy_id */
  walspout_str host_state; /* opaque to the sink: persist it with position, hand it back at open.
                              Empty = keep yours */
  int64_t commit_time_us;  /* since the Unix epoch; 0 for a non-transactional message */
  walspout_lsn origin_lsn;
  walspout_str origin; /* replication origin name, empty if local */
} walspout_txn;

/* A batch without changes (FIRST and LAST) only moves position: persist it, so that an idle sink
 * does not fall behind the slot. Otherwise: a whole transaction (FIRST and LAST), or one piece of a
 * large one. All transactions have committed in PostgreSQL before their FIRST piece is sent, and
 * pieces of two transactions never interleave. */
enum { WALSPOUT_FIRST = 1, WALSPOUT_LAST = 2 };

typedef struct walspout_batch {
  uint32_t struct_size;
  uint32_t flags;
  const walspout_txn* txn;
  size_t change_count;
  const walspout_change* const* changes;
} walspout_batch;

/* ---- settings ---------------------------------------------------------- */

enum {
  WALSPOUT_STRING = 1,
  WALSPOUT_BOOL = 2,
  WALSPOUT_INT = 3,
  WALSPOUT_FLOAT = 4,
  WALSPOUT_DURATION_MS = 5,
  WALSPOUT_BYTES = 6
};
/* A file or folder. The host makes it absolute against the folder of the configuration file, so
 * that a relative path never depends on the working directory: declare `path` options with it, not
 * with WALSPOUT_STRING. */
enum { WALSPOUT_PATH = 7 };
enum { WALSPOUT_REQUIRED = 1, WALSPOUT_SECRET = 2, WALSPOUT_LIST = 4, WALSPOUT_TABLE = 8 };

/* What the plugin accepts. The host checks the TOML table against it before
 * open, fills defaults, and prints help from it. Frozen. */
typedef struct walspout_option {
  const char* name;
  uint32_t type;
  uint32_t flags;
  const char* def; /* as in TOML, or NULL */
  const char* doc; /* one sentence */
} walspout_option;

/* One value. A list is several settings with one name; a table's entries are
 * named "option.key". Frozen. */
typedef struct walspout_setting {
  walspout_str name;
  uint32_t type;
  uint32_t reserved;
  int64_t integer; /* also bool, duration and bytes */
  double number;
  walspout_str string; /* every type, as written */
} walspout_setting;

/* ---- the host, as a sink sees it ---------------------------------------- */

enum {
  WALSPOUT_TRACE = 0,
  WALSPOUT_DEBUG = 1,
  WALSPOUT_INFO = 2,
  WALSPOUT_WARN = 3,
  WALSPOUT_ERROR = 4
};

typedef struct walspout_host {
  uint32_t struct_size;
  uint32_t reserved;
  void* ctx; /* pass it back as the first argument */
  const char* version;
  /* [any] */
  void (*log)(void* ctx, int32_t level, const char* text, size_t size);
  int32_t (*log_enabled)(void* ctx, int32_t level);
  /* [any] adds to a counter or sets a gauge; the host adds pipeline and sink labels */
  void (*count)(void* ctx, const char* name, int64_t add);
  void (*gauge)(void* ctx, const char* name, double value);
  /* [any] microseconds since the Unix epoch; sink-check drives it by hand */
  int64_t (*now_us)(void* ctx);
  /* [any] sleeps; returns 0 early when the host is stopping. Poll with 0. */
  int32_t (*wait_ms)(void* ctx, uint32_t ms);
  /* [any] position is durable now, though no flush asked */
  void (*durable)(void* ctx, walspout_lsn position);
  /* [any] something failed in the background: call flush soon, it will say what */
  void (*wake)(void* ctx);
} walspout_host;

/* ---- the plugin, as the host sees it ------------------------------------ */

enum {
  WALSPOUT_CAP_POSITION = 1,   /* keeps its position with its data: no duplicates */
  WALSPOUT_CAP_IDEMPOTENT = 2, /* a replayed transaction changes nothing */
  WALSPOUT_CAP_BINARY = 4,     /* takes WALSPOUT_BINARY values */
  WALSPOUT_CAP_SNAPSHOT = 8,   /* wants the initial copy */
  WALSPOUT_CAP_SHADOW = 64, /* COPY_* keep the old rows readable until the swap; without it the host
                               sends TRUNCATE, INSERTs */
  WALSPOUT_CAP_READ_BACK = 128, /* has read_open, so that the host can verify it */
  WALSPOUT_NEEDS_KEY = 16,      /* refuse tables without a replica identity */
  WALSPOUT_NEEDS_FULL_ROW = 32  /* cannot keep WALSPOUT_UNCHANGED: wants REPLICA IDENTITY FULL */
};

/* What a sink can take. The host refuses at start a route that may bring what the sink does not
 * take, unless told what to do. */
enum {
  WALSPOUT_TAKES_TRUNCATE = 1,
  WALSPOUT_TAKES_PARTIAL_ROW = 2, /* UNCHANGED values */
  WALSPOUT_TAKES_KEY_CHANGE = 4,
  WALSPOUT_TAKES_MESSAGE = 8,
  WALSPOUT_TAKES_SCHEMA = 16,
  WALSPOUT_TAKES_NO_KEY = 32
};

typedef struct walspout_open_args {
  uint32_t struct_size;
  uint32_t setting_count;
  const walspout_host* host;
  const char* pipeline;  /* [host] name and */
  const char* sink;      /* [[sink]] name: key your position by both */
  const char* state_dir; /* a folder of this sink's own, kept over restarts */
  const walspout_setting* settings;
} walspout_open_args;

typedef struct walspout_open_reply {
  uint32_t struct_size;
  uint32_t reserved;
  walspout_instance* self;
  walspout_lsn position;   /* WALSPOUT_CAP_POSITION: the last durable one; 0 = none yet */
  walspout_str host_state; /* as last persisted; the host compares source, slot and copies with it,
                              not the sink. Valid until close */
} walspout_open_reply;

typedef struct walspout_reader_calls walspout_reader_calls; /* walspout/abi_reader.h */

typedef struct walspout_plugin {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const char* name;    /* "sqlite": what TOML's plugin = names */
  const char* version; /* of the plugin */
  const char* summary; /* one sentence */
  uint64_t caps;
  uint64_t takes;
  uint32_t option_count;
  uint32_t reserved;
  const walspout_option* options;

  /* [sink] Connect, create what is missing, report your position. */
  walspout_status (*open)(const walspout_open_args* args, walspout_open_reply* reply,
                          walspout_error* error);
  /* [sink] Take the changes. WALSPOUT_OK hands them over; it does not promise they are durable. */
  walspout_status (*write)(walspout_instance* self, const walspout_batch* batch,
                           walspout_error* error);
  /* [sink] Make durable all that was taken up to the last WALSPOUT_LAST; report how far. */
  walspout_status (*flush)(walspout_instance* self, walspout_lsn* durable, walspout_error* error);
  /* [sink] Optional. Forget the unfinished transaction: it will come again or never. */
  walspout_status (*abort)(walspout_instance* self, walspout_error* error);
  /* [check] Optional. Settings and target without opening for writing: what `walspout check` calls.
   */
  walspout_status (*check)(const walspout_open_args* args, walspout_error* error);
  /* Optional, WALSPOUT_CAP_READ_BACK: how `walspout verify` reads the target. */
  const walspout_reader_calls* reader;
  /* [sink] Release everything. Does not flush. The last call. */
  void (*close)(walspout_instance* self);
} walspout_plugin;

/* The one exported symbol. Pure: no allocation, no I/O, callable any number of
 * times. Exported as a function, as not every loader finds data symbols. */
typedef const walspout_plugin* walspout_plugin_v1_fn(void);
WALSPOUT_EXPORT const walspout_plugin* walspout_plugin_v1(void);

#ifdef __cplusplus
}
#endif
#endif
