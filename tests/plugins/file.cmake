find_package(nlohmann_json REQUIRED)
walspout_test(test_plugin_file SOURCES
  file/crash_test.cpp file/failure_test.cpp file/position_store_test.cpp file/recovery_test.cpp
  file/rotation_test.cpp file/write_test.cpp ${PROJECT_SOURCE_DIR}/plugins/file/position_store.cpp
  LIBS walspout::sdk nlohmann_json::nlohmann_json LABELS crash)
target_include_directories(test_plugin_file PRIVATE ${PROJECT_SOURCE_DIR}/plugins)
target_compile_definitions(test_plugin_file PRIVATE FILE_PLUGIN="$<TARGET_FILE:sink_file>")
add_dependencies(test_plugin_file sink_file)
