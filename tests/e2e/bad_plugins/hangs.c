/* A sink whose flush does not return while the file that `gate` names is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <walspout/abi.h>

struct walspout_instance {
  char gate[512];
  walspout_lsn accepted;
};

static const walspout_option options[] = {
    {"gate", WALSPOUT_PATH, WALSPOUT_REQUIRED, NULL, "The file that holds it up."}};

static walspout_status open_sink(const walspout_open_args* args, walspout_open_reply* reply,
                                 walspout_error* error) {
  (void)error;
  reply->self = calloc(1, sizeof *reply->self);
  snprintf(reply->self->gate, sizeof reply->self->gate, "%.*s", (int)args->settings[0].string.size,
           args->settings[0].string.data);
  return WALSPOUT_OK;
}
static walspout_status write_changes(walspout_instance* self, const walspout_batch* batch,
                                     walspout_error* error) {
  (void)error;
  if (batch->flags & WALSPOUT_LAST) self->accepted = batch->txn->position;
  return WALSPOUT_OK;
}
static walspout_status flush_changes(walspout_instance* self, walspout_lsn* durable,
                                     walspout_error* error) {
  (void)error;
  while (access(self->gate, F_OK) == 0) usleep(20000);
  *durable = self->accepted;
  return WALSPOUT_OK;
}
static void close_sink(walspout_instance* self) { free(self); }

static const walspout_plugin descriptor = {
    .struct_size = sizeof(walspout_plugin),
    .abi_major = WALSPOUT_ABI_MAJOR,
    .abi_minor = WALSPOUT_ABI_MINOR,
    .name = "hangs",
    .version = "1.0",
    .summary = "Does not always return.",
    .takes = WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_PARTIAL_ROW | WALSPOUT_TAKES_KEY_CHANGE |
             WALSPOUT_TAKES_SCHEMA | WALSPOUT_TAKES_NO_KEY,
    .option_count = 1,
    .options = options,
    .open = open_sink,
    .write = write_changes,
    .flush = flush_changes,
    .close = close_sink};

WALSPOUT_EXPORT const walspout_plugin* walspout_plugin_v1(void) { return &descriptor; }
