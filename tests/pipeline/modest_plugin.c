/* A sink that takes what TAKES and CAPS say, and throws it away. */
#include <walspout/abi.h>

static walspout_status open_sink(const walspout_open_args* args, walspout_open_reply* reply,
                                 walspout_error* error) {
  (void)args, (void)error;
  reply->self = (walspout_instance*)reply; /* any that is not NULL: it keeps nothing */
  return WALSPOUT_OK;
}
static walspout_status write_changes(walspout_instance* self, const walspout_batch* batch,
                                     walspout_error* error) {
  (void)self, (void)batch, (void)error;
  return WALSPOUT_OK;
}
static walspout_status flush_changes(walspout_instance* self, walspout_lsn* durable,
                                     walspout_error* error) {
  (void)self, (void)error;
  *durable = ~(walspout_lsn)0;
  return WALSPOUT_OK;
}
static void close_sink(walspout_instance* self) { (void)self; }

static const walspout_plugin descriptor = {.struct_size = sizeof(walspout_plugin),
                                           .abi_major = WALSPOUT_ABI_MAJOR,
                                           .abi_minor = WALSPOUT_ABI_MINOR,
                                           .name = NAME,
                                           .version = "1.0",
                                           .summary = "Throws everything away.",
                                           .caps = CAPS,
                                           .takes = TAKES,
                                           .open = open_sink,
                                           .write = write_changes,
                                           .flush = flush_changes,
                                           .close = close_sink};

WALSPOUT_EXPORT const walspout_plugin* walspout_plugin_v1(void) { return &descriptor; }
