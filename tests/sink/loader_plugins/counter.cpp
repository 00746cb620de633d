// A sink that remembers its label and how many changes it saw: two of them must not share anything.
#include <string>
#include <walspout/sink.hpp>

namespace {

class Counter : public walspout::Sink {
 public:
  explicit Counter(const walspout::Context& context) : label_(*context.string("label")) {}
  void write(const walspout::Batch& batch) override {
    for (walspout::Change change : batch) label_ += '+' + std::to_string(change.op());
  }
  void flush() override {}
  std::string_view host_state() override { return label_; }
  // Reported through the error text, as a test has no other way in.
  void abort() override { throw walspout::BadConfig(label_); }

 private:
  std::string label_;
};

}  // namespace

WALSPOUT_PLUGIN(Counter, PLUGIN_NAME, "1.0", "Counts.", 0, WALSPOUT_TAKES_MESSAGE,
                {"label", WALSPOUT_STRING, WALSPOUT_REQUIRED, nullptr, "A name."});
