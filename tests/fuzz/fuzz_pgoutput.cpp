// libFuzzer target: any bytes are a message or malformed, and never anything else.
//   fuzz_pgoutput -max_total_time=120 NEW_FOLDER tests/fuzz/corpus/pgoutput
// What it writes to NEW_FOLDER is merged into the corpus by hand, as found-*: corpus_test.cpp of
// tests/pgoutput replays it.
#include "pgoutput_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  walspout::fuzz::run_pgoutput({data, size});
  return 0;
}
