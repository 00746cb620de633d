// A mirror that receives a table in pieces.
#pragma once

#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteCopy : public MirrorTest {
 protected:
  Relation item_ =
      relation("public", "item").column("id", oid::kInt4, primary).column("v", oid::kText);
  std::string items() { return rows("SELECT id, v FROM item ORDER BY id"); }
  std::string state() { return rows("SELECT state FROM _walspout_tables"); }

  // A piece of a copy: a transaction of its own, which moves no position.
  template <class Fill>
  void piece(uint64_t copy_id, Fill&& fill) {
    Txn t(next());
    t.snapshot(copy_id).position(0);
    fill(t);
    const Reply reply = sink().deliver(t);
    ASSERT_TRUE(reply.ok()) << reply.message;
    ASSERT_TRUE(sink().flush().ok());
  }
};

}  // namespace walspout::sqlite
