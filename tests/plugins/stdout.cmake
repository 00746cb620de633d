walspout_test(test_plugin_stdout SOURCES stdout/stdout_sink_test.cpp LIBS walspout::sdk)
target_compile_definitions(test_plugin_stdout PRIVATE STDOUT_PLUGIN="$<TARGET_FILE:sink_stdout>")
add_dependencies(test_plugin_stdout sink_stdout)
