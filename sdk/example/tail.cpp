// Appends one line a change to a file: "1 public.users". A demo: flush() stops at the kernel, where
// a real sink makes its data durable (see plugins/file).
#include <fstream>
#include <walspout/sink.hpp>

class Tail : public walspout::Sink {
 public:
  explicit Tail(const walspout::Context& context) : out_(*context.string("path"), std::ios::app) {
    if (!out_) throw walspout::BadConfig("cannot open " + *context.string("path"));
  }
  void write(const walspout::Batch& batch) override {
    for (const walspout::Change change : batch)
      if (change.has_relation())
        out_ << change.op() << ' ' << change.schema() << '.' << change.table() << '\n';
  }
  void flush() override {
    if (!out_.flush()) throw walspout::Reopen("cannot write the file");
  }

 private:
  std::ofstream out_;
};

WALSPOUT_PLUGIN(Tail, "tail", "1.0", "Appends one line a change to a file.", 0,
                WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_PARTIAL_ROW | WALSPOUT_TAKES_KEY_CHANGE |
                    WALSPOUT_TAKES_NO_KEY,
                {"path", WALSPOUT_STRING, WALSPOUT_REQUIRED, nullptr, "File to append to."})
