/* A plugin in plain C that is right, or wrong in one way: the way is chosen by a macro. None of its
 * callbacks may ever be called, as all the loader does is to look at it. */
#include <stdlib.h>
#include <walspout/abi.h>

#ifndef ABI_MAJOR
#define ABI_MAJOR WALSPOUT_ABI_MAJOR
#endif
#ifndef ABI_MINOR
#define ABI_MINOR WALSPOUT_ABI_MINOR
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(struct descriptor)
#endif
#ifndef WRITE
#define WRITE write_changes
#endif
#ifndef OPTION_TYPE
#define OPTION_TYPE WALSPOUT_PATH
#endif
#ifndef ENTRY
#define ENTRY walspout_plugin_v1
#endif
#ifndef RESULT
#define RESULT &descriptor.plugin
#endif

static walspout_status open_sink(const walspout_open_args* args, walspout_open_reply* reply,
                                 walspout_error* error) {
  (void)args, (void)reply, (void)error;
  abort();
}
walspout_status write_changes(walspout_instance* self, const walspout_batch* batch,
                              walspout_error* error);
#ifndef WITHOUT_DEFINITION
walspout_status write_changes(walspout_instance* self, const walspout_batch* batch,
                              walspout_error* error) {
  (void)self, (void)batch, (void)error;
  abort();
}
#endif
static walspout_status flush_changes(walspout_instance* self, walspout_lsn* durable,
                                     walspout_error* error) {
  (void)self, (void)durable, (void)error;
  abort();
}
static void close_sink(walspout_instance* self) {
  (void)self;
  abort();
}

static const walspout_option options[] = {
    {"path", OPTION_TYPE, WALSPOUT_REQUIRED, NULL, "A file."},
};

/* As a later minor version might have it. */
struct descriptor {
  walspout_plugin plugin;
#if ABI_MINOR > WALSPOUT_ABI_MINOR
  void (*callback_of_the_future)(walspout_instance* self);
#endif
};

static const struct descriptor descriptor = {
    .plugin = {.struct_size = STRUCT_SIZE,
               .abi_major = ABI_MAJOR,
               .abi_minor = ABI_MINOR,
               .name = NAME,
               .version = "1.0",
               .summary = "Does nothing.",
               .option_count = 1,
               .options = options,
               .open = open_sink,
               .write = WRITE,
               .flush = flush_changes,
               .close = close_sink},
};

WALSPOUT_EXPORT const walspout_plugin* ENTRY(void);
WALSPOUT_EXPORT const walspout_plugin* ENTRY(void) {
  const walspout_plugin* result = RESULT;
  (void)descriptor;
  return result;
}
