/* walspout/abi_reader.h - the part of the binary contract by which a target is read back, for
 * `walspout verify`. The same rules as in walspout/abi.h. */
#ifndef WALSPOUT_ABI_READER_H
#define WALSPOUT_ABI_READER_H

#include <walspout/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* WALSPOUT_CAP_READ_BACK. A reader is independent of an open sink: it may run in another process,
 * while the sink writes. It sees the target at one position, that of its open, until it is closed.
 */
typedef struct walspout_reader walspout_reader; /* the plugin defines it */

/* How a column's value reads when it comes back: the sink may keep less than the text says (arrays
 * without their bounds, numbers as doubles). The host brings the source's values into the same form
 * before it compares. */
enum {
  WALSPOUT_FORM_TEXT = 0, /* the type's text output, exactly */
  /* The double nearest to the type's text output, as any decimal that reads back as that double, or
   * NaN, Infinity, -Infinity. The sign of zero does not count. */
  WALSPOUT_FORM_FLOAT8 = 1,
  /* An array (element_type_oid != 0) as JSON, one array inside the other for more dimensions,
   * without lower bounds and without blanks of its own: what array_to_json(value::text::text[])
   * prints, save that elements of bool are true and false, those of smallint, integer, bigint, oid,
   * real and double precision are their text (a string where that is no JSON number), and those of
   * json and jsonb are their text, line ends as blanks. So strings hold the element's text output
   * with ", \ and characters below U+0020 escaped (\b \f \n \r \t, else \u00xx in lower case), and
   * nothing else. <walspout/reader.hpp> brings what append_array() has written into this form. */
  WALSPOUT_FORM_ELEMENTS = 2,
  WALSPOUT_FORM_NONE = 3 /* cannot be compared */
};

/* Called once a row: column_count values, NULL or text in the form of their column; valid during
 * the call. A value that the target holds in a way the sink never writes begins with a NUL byte,
 * which no value of the source has. Not 0: stop; then scan or find returns OK. */
typedef int32_t (*walspout_row_fn)(void* ctx, const walspout_value* row);

/* [check] One call at a time per reader; any thread. */
struct walspout_reader_calls {
  uint32_t struct_size;
  uint32_t reserved;
  /* position: everything up to it is in what the reader sees, and nothing after it; 0 when the sink
   * has not stored any. Changes nothing at the target. RETRY: later. */
  walspout_status (*open)(const walspout_open_args* args, walspout_reader** reader,
                          walspout_lsn* position, walspout_error* error);
  /* Chooses the table for the calls below; the relation outlives them. forms: column_count of them,
   * to be filled. present: 1; or 0 when the target has no whole copy of this shape yet, -1 when it
   * has given the table up (then why is in error->message, and forms may be left). */
  walspout_status (*table)(walspout_reader* reader, const walspout_relation* relation,
                           uint8_t* forms, int32_t* present, walspout_error* error);
  /* Every row, in any order. */
  walspout_status (*scan)(walspout_reader* reader, walspout_row_fn row, void* ctx,
                          walspout_error* error);
  /* The rows that have these values, each in the form of its column, as the source or scan gave
   * them; columns that do not matter are WALSPOUT_ABSENT. The others are a key. */
  walspout_status (*find)(walspout_reader* reader, const walspout_value* key, walspout_row_fn row,
                          void* ctx, walspout_error* error);
  void (*close)(walspout_reader* reader);
};

#ifdef __cplusplus
}
#endif

#endif
