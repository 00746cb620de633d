// Two writers that throw statements at a database, taking turns, each in transactions with
// savepoints; and the script of all that they did.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "storm/statements.hpp"
#include "support/postgres_server.hpp"

namespace walspout::test::storm {

// One line an event, so that a reader sees what happened, and `replay` can do it again:
//   SQL; -- 1           by the first writer (0: before the host starts)
//   SQL; -- 2 failed    and what the server said, on a comment line before it
//   --! kill, --! start what was done to the host
class Script {
 public:
  explicit Script(const std::string& path) : path_(path), out_(path, std::ios::trunc) {}

  const std::string& path() const { return path_; }
  void statement(int writer, const std::string& sql, const std::string& error);
  void event(const std::string& what) { out_ << "--! " << what << std::endl; }

 private:
  std::string path_;
  std::ofstream out_;
};

struct ScriptLine {
  int writer = 0;     // 0: the beginning
  std::string sql;    // without the semicolon
  std::string event;  // instead of a statement: kill, start
};
std::vector<ScriptLine> read_script(const std::string& path);

// For the writers: one thread moves both, so that neither may wait for the other for long.
inline constexpr char kLittlePatience[] = "set lock_timeout = '200ms'";

class Writer {
 public:
  Writer(int number, Session session, Script& script)
      : number_(number), session_(std::move(session)), script_(script) {}

  // False, and noted, when the server refuses it.
  bool run(const std::string& sql);
  Session& session() { return session_; }
  int statements() const { return statements_; }
  int failures() const { return failures_; }

 private:
  int number_;
  Session session_;
  Script& script_;
  int statements_ = 0, failures_ = 0;
};

class Storm {
 public:
  struct Options {
    unsigned seed = 1;
    bool schema = true;  // false: rows only
  };

  Storm(PostgresServer& server, const std::string& db, Script& script, const Options& options);

  void prepare();  // the first tables and rows
  void step();     // the next statements of one of the writers
  void finish();   // ends what is open
  int transactions() const { return transactions_; }
  std::string summary() const;
  Dice& dice() { return dice_; }

 private:
  struct Turn {
    std::unique_ptr<Writer> writer;
    bool open = false;
    bool guarded = false;  // a statement that fails does not end the transaction
    int left = 0;          // statements to come
    int savepoints = 0;    // that are open
  };

  void begin(Turn& turn);
  void end(Turn& turn);
  void run(Turn& turn, const Steps& steps);
  void move_savepoints(Turn& turn);
  void end_prepared();
  Steps next_steps(Turn& turn);

  Dice dice_;
  bool schema_;
  std::vector<Turn> turns_;
  int transactions_ = 0;
  int prepared_ = 0;  // how many there were
  std::vector<std::string> prepared_open_;
};

}  // namespace walspout::test::storm
