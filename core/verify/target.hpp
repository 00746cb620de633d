// One sink's target, opened for reading through its plugin (WALSPOUT_CAP_READ_BACK).
#pragma once

#include <walspout/abi.h>
#include <walspout/abi_reader.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "config/config.hpp"
#include "pipeline/sinks.hpp"
#include "sink/host_functions.hpp"

namespace walspout::verify {

// The plugin cannot read the target: one line, with the sink's name.
struct TargetError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Target {
 public:
  // What a plugin is opened with; outlives the targets.
  class Opener {
   public:
    Opener(const config::Config& config, const PreparedSink& sink);
    // Null when the target is not there just now; then why() says so. Throws TargetError.
    std::unique_ptr<Target> open();
    const std::string& why() const { return why_; }
    const PreparedSink& sink() const { return sink_; }
    const std::string& name() const { return sink_.config->name; }

   private:
    friend class Target;
    const PreparedSink& sink_;
    std::string pipeline_, state_dir_;
    sink::HostFunctions host_;
    std::string why_;
  };

  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Everything up to it is in the target as it is seen here, and nothing after it.
  base::Lsn position() const { return position_; }

  struct Table {
    int present = 0;                  // as in walspout_reader_calls
    std::string why;                  // when not 1
    std::vector<std::uint8_t> forms;  // one a column
  };
  // Chooses the table for the calls below; the relation must outlive them.
  Table table(const walspout_relation& relation);

  // Calls `row` until it returns false or throws; what it throws comes out here.
  using OnRow = std::function<bool(const walspout_value* row)>;
  void scan(const OnRow& row);
  void find(const walspout_value* key, const OnRow& row);

 private:
  Target(Opener& opener, walspout_reader* reader, base::Lsn position)
      : opener_(opener), reader_(reader), position_(position) {}
  const walspout_reader_calls& calls() const;
  void check(walspout_status status, const walspout_error& error) const;

  Opener& opener_;
  walspout_reader* reader_;
  base::Lsn position_;
};

}  // namespace walspout::verify
