find_package(SQLite3 REQUIRED)
walspout_test(test_plugin_sqlite
  SOURCES sqlite/values_test.cpp sqlite/names_test.cpp sqlite/changes_test.cpp
          sqlite/identity_test.cpp sqlite/position_test.cpp sqlite/copy_test.cpp
          sqlite/shape_test.cpp sqlite/objects_test.cpp sqlite/trouble_test.cpp
          sqlite/crash_test.cpp sqlite/reader_test.cpp sqlite/tables_test.cpp sqlite/alter_test.cpp
          sqlite/copy_rows_test.cpp
  LIBS walspout::sdk SQLite::SQLite3 ${CMAKE_DL_LIBS} Threads::Threads)
target_compile_definitions(test_plugin_sqlite
                           PRIVATE WALSPOUT_SQLITE_PLUGIN="$<TARGET_FILE:sink_sqlite>")
add_dependencies(test_plugin_sqlite sink_sqlite)
if(WALSPOUT_BENCH)
  add_executable(bench_plugin_sqlite sqlite/bench.cpp)
  target_link_libraries(bench_plugin_sqlite PRIVATE walspout::sdk SQLite::SQLite3 ${CMAKE_DL_LIBS})
  target_compile_definitions(bench_plugin_sqlite
                             PRIVATE WALSPOUT_SQLITE_PLUGIN="$<TARGET_FILE:sink_sqlite>")
  add_dependencies(bench_plugin_sqlite sink_sqlite)
endif()
