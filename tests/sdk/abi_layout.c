/* Sizes and offsets of ABI 1 on LP64. A line that changes breaks every plugin that was built
 * before; only lines for new fields at the end of a struct that starts with struct_size may be
 * added (and its size may grow). */
#include <assert.h>
#include <stddef.h>
#include <walspout/abi.h>
#include <walspout/abi_reader.h>

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#define AT(type, field, bytes) static_assert(offsetof(type, field) == (bytes), #type "." #field)

SIZE(walspout_str, 16);
AT(walspout_str, data, 0);
AT(walspout_str, size, 8);

SIZE(walspout_error, 1056);
AT(walspout_error, struct_size, 0);
AT(walspout_error, retry_after_ms, 4);
AT(walspout_error, commit_lsn, 8);
AT(walspout_error, ordinal, 16);
AT(walspout_error, message, 24);
AT(walspout_error, copy_id, 1048);

SIZE(walspout_value, 16);
AT(walspout_value, data, 0);
AT(walspout_value, size, 8);
AT(walspout_value, state, 12);
AT(walspout_value, reserved, 13);

SIZE(walspout_column, 64);
AT(walspout_column, struct_size, 0);
AT(walspout_column, flags, 4);
AT(walspout_column, type_oid, 8);
AT(walspout_column, base_type_oid, 12);
AT(walspout_column, element_type_oid, 16);
AT(walspout_column, type_mod, 20);
AT(walspout_column, attnum, 24);
AT(walspout_column, key_ordinal, 26);
AT(walspout_column, reserved, 28);
AT(walspout_column, name, 32);
AT(walspout_column, type_name, 48);

SIZE(walspout_relation, 64);
AT(walspout_relation, struct_size, 0);
AT(walspout_relation, oid, 4);
AT(walspout_relation, version, 8);
AT(walspout_relation, schema, 16);
AT(walspout_relation, name, 32);
AT(walspout_relation, column_count, 48);
AT(walspout_relation, replica_identity, 52);
AT(walspout_relation, reserved, 53);
AT(walspout_relation, columns, 56);

SIZE(walspout_change, 112);
AT(walspout_change, struct_size, 0);
AT(walspout_change, op, 4);
AT(walspout_change, flags, 6);
AT(walspout_change, ordinal, 8);
AT(walspout_change, lsn, 16);
AT(walspout_change, relation, 24);
AT(walspout_change, old_relation, 32);
AT(walspout_change, old_index, 40);
AT(walspout_change, fill, 48);
AT(walspout_change, old_row, 56);
AT(walspout_change, new_row, 64);
AT(walspout_change, prefix, 72);
AT(walspout_change, content, 88);
AT(walspout_change, copy_id, 104);

SIZE(walspout_txn, 96);
AT(walspout_txn, struct_size, 0);
AT(walspout_txn, kind, 4);
AT(walspout_txn, xid, 8);
AT(walspout_txn, reserved, 12);
AT(walspout_txn, commit_lsn, 16);
AT(walspout_txn, end_lsn, 24);
AT(walspout_txn, position, 32);
AT(walspout_txn, copy_id, 40);
AT(walspout_txn, host_state, 48);
AT(walspout_txn, commit_time_us, 64);
AT(walspout_txn, origin_lsn, 72);
AT(walspout_txn, origin, 80);

SIZE(walspout_batch, 32);
AT(walspout_batch, struct_size, 0);
AT(walspout_batch, flags, 4);
AT(walspout_batch, txn, 8);
AT(walspout_batch, change_count, 16);
AT(walspout_batch, changes, 24);

SIZE(walspout_option, 32);
AT(walspout_option, name, 0);
AT(walspout_option, type, 8);
AT(walspout_option, flags, 12);
AT(walspout_option, def, 16);
AT(walspout_option, doc, 24);

SIZE(walspout_setting, 56);
AT(walspout_setting, name, 0);
AT(walspout_setting, type, 16);
AT(walspout_setting, reserved, 20);
AT(walspout_setting, integer, 24);
AT(walspout_setting, number, 32);
AT(walspout_setting, string, 40);

SIZE(walspout_host, 88);
AT(walspout_host, struct_size, 0);
AT(walspout_host, reserved, 4);
AT(walspout_host, ctx, 8);
AT(walspout_host, version, 16);
AT(walspout_host, log, 24);
AT(walspout_host, log_enabled, 32);
AT(walspout_host, count, 40);
AT(walspout_host, gauge, 48);
AT(walspout_host, now_us, 56);
AT(walspout_host, wait_ms, 64);
AT(walspout_host, durable, 72);
AT(walspout_host, wake, 80);

SIZE(walspout_open_args, 48);
AT(walspout_open_args, struct_size, 0);
AT(walspout_open_args, setting_count, 4);
AT(walspout_open_args, host, 8);
AT(walspout_open_args, pipeline, 16);
AT(walspout_open_args, sink, 24);
AT(walspout_open_args, state_dir, 32);
AT(walspout_open_args, settings, 40);

SIZE(walspout_open_reply, 40);
AT(walspout_open_reply, struct_size, 0);
AT(walspout_open_reply, reserved, 4);
AT(walspout_open_reply, self, 8);
AT(walspout_open_reply, position, 16);
AT(walspout_open_reply, host_state, 24);

SIZE(walspout_reader_calls, 48);
AT(walspout_reader_calls, struct_size, 0);
AT(walspout_reader_calls, reserved, 4);
AT(walspout_reader_calls, open, 8);
AT(walspout_reader_calls, table, 16);
AT(walspout_reader_calls, scan, 24);
AT(walspout_reader_calls, find, 32);
AT(walspout_reader_calls, close, 40);

SIZE(walspout_plugin, 120);
AT(walspout_plugin, struct_size, 0);
AT(walspout_plugin, abi_major, 4);
AT(walspout_plugin, abi_minor, 6);
AT(walspout_plugin, name, 8);
AT(walspout_plugin, version, 16);
AT(walspout_plugin, summary, 24);
AT(walspout_plugin, caps, 32);
AT(walspout_plugin, takes, 40);
AT(walspout_plugin, option_count, 48);
AT(walspout_plugin, reserved, 52);
AT(walspout_plugin, options, 56);
AT(walspout_plugin, open, 64);
AT(walspout_plugin, write, 72);
AT(walspout_plugin, flush, 80);
AT(walspout_plugin, abort, 88);
AT(walspout_plugin, check, 96);
AT(walspout_plugin, reader, 104);
AT(walspout_plugin, close, 112);
