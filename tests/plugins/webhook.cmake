find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
walspout_test(test_plugin_webhook
  SOURCES webhook/fixture.cpp webhook/request_test.cpp webhook/status_test.cpp
          webhook/trouble_test.cpp webhook/batch_test.cpp webhook/merge_test.cpp
          webhook/poison_test.cpp webhook/signature_test.cpp webhook/concurrency_test.cpp
          webhook/address_test.cpp webhook/tls_test.cpp webhook/options_test.cpp
          ${PROJECT_SOURCE_DIR}/plugins/webhook/address.cpp
          ${PROJECT_SOURCE_DIR}/plugins/webhook/signature.cpp
  LIBS walspout::sdk walspout_http_server nlohmann_json::nlohmann_json ZLIB::ZLIB)
target_include_directories(test_plugin_webhook PRIVATE ${PROJECT_SOURCE_DIR}/plugins)
target_compile_definitions(test_plugin_webhook PRIVATE
  WEBHOOK_PLUGIN="$<TARGET_FILE:sink_webhook>")
add_dependencies(test_plugin_webhook sink_webhook)
if(WALSPOUT_BENCH)
  find_package(CURL REQUIRED)
  add_executable(bench_plugin_webhook webhook/bench.cpp)
  target_link_libraries(bench_plugin_webhook PRIVATE walspout::sdk CURL::libcurl ${CMAKE_DL_LIBS})
  target_compile_definitions(bench_plugin_webhook
                             PRIVATE WEBHOOK_PLUGIN="$<TARGET_FILE:sink_webhook>")
  add_dependencies(bench_plugin_webhook sink_webhook)
endif()
