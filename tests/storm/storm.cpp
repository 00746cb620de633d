#include "storm/storm.hpp"

#include <stdexcept>

namespace walspout::test::storm {
namespace {

constexpr int kWriters = 2;

}  // namespace

bool Writer::run(const std::string& sql) {
  ++statements_;
  try {
    session_.sql(sql);
  } catch (const std::runtime_error& error) {
    ++failures_;
    script_.statement(number_, sql, error.what());
    return false;
  }
  script_.statement(number_, sql, "");
  return true;
}

Storm::Storm(PostgresServer& server, const std::string& db, Script& script, const Options& options)
    : dice_(options.seed), schema_(options.schema) {
  for (int number = 1; number <= kWriters; ++number) {
    Turn turn;
    turn.writer = std::make_unique<Writer>(number, server.session(db), script);
    turn.writer->session().sql(kLittlePatience);
    turns_.push_back(std::move(turn));
  }
}

void Storm::prepare() {
  Writer& writer = *turns_[0].writer;
  for (const auto& step : first_tables(dice_))
    if (!writer.run(step)) throw std::runtime_error("the storm's beginning fails: " + step);
  for (const auto& table : read_tables(writer.session()))
    for (const auto& step :
         RowStatements(dice_, writer.session()).insert(table, dice_.between(0, 150)))
      writer.run(step);
}

std::string Storm::summary() const {
  int statements = 0, failures = 0;
  for (const auto& turn : turns_) {
    statements += turn.writer->statements();
    failures += turn.writer->failures();
  }
  return std::to_string(transactions_) + " transactions, " + std::to_string(statements) +
         " statements, " + std::to_string(failures) + " of which failed";
}

void Storm::begin(Turn& turn) {
  turn.writer->run("begin");
  turn.open = true;
  turn.guarded = dice_.percent(70);
  turn.left = dice_.percent(40) ? dice_.between(1, 2) : dice_.between(3, 14);
  turn.savepoints = 0;
}

void Storm::end(Turn& turn) {
  turn.open = false;
  ++transactions_;
  if (dice_.percent(4)) {
    const std::string name = "'p" + std::to_string(++prepared_) + "'";
    if (turn.writer->run("prepare transaction " + name)) prepared_open_.push_back(name);
    return;
  }
  turn.writer->run(dice_.percent(88) ? "commit" : "rollback");
}

// Their locks are in everyone's way, so none stays for long.
void Storm::end_prepared() {
  for (const auto& name : prepared_open_)
    turns_[0].writer->run((dice_.percent(75) ? "commit prepared " : "rollback prepared ") + name);
  prepared_open_.clear();
}

void Storm::move_savepoints(Turn& turn) {
  if (dice_.percent(15)) turn.writer->run("savepoint s" + std::to_string(++turn.savepoints));
  if (turn.savepoints > 0 && dice_.percent(12)) {
    const int which = dice_.between(1, turn.savepoints);
    const bool back = dice_.percent(70);
    turn.writer->run((back ? "rollback to s" : "release s") + std::to_string(which));
    turn.savepoints = back ? which : which - 1;
  }
}

Steps Storm::next_steps(Turn& turn) {
  if (schema_ && dice_.percent(30)) return SchemaStatements(dice_, turn.writer->session()).next();
  return RowStatements(dice_, turn.writer->session()).next();
}

void Storm::run(Turn& turn, const Steps& steps) {
  for (const auto& step : steps) {
    if (turn.open && turn.guarded) turn.writer->run("savepoint guard");
    const bool done = turn.writer->run(step);
    if (turn.open && turn.guarded) turn.writer->run(done ? "release guard" : "rollback to guard");
    if (done) continue;
    if (turn.open && !turn.guarded) {
      turn.writer->run("rollback");
      turn.open = false;
      ++transactions_;
    }
    return;
  }
}

void Storm::step() {
  Turn& turn = turns_[static_cast<std::size_t>(dice_.between(0, kWriters - 1))];
  if (!turn.open && !prepared_open_.empty() && &turn == &turns_[0] && dice_.percent(50))
    end_prepared();
  if (!turn.open && dice_.percent(85)) {
    begin(turn);
    return;
  }
  if (turn.open) move_savepoints(turn);
  run(turn, next_steps(turn));
  if (!turn.open) ++transactions_;
  if (turn.open && --turn.left <= 0) end(turn);
}

void Storm::finish() {
  for (auto& turn : turns_)
    if (turn.open) end(turn);
  end_prepared();
}

}  // namespace walspout::test::storm
