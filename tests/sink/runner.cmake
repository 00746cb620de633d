walspout_test(test_sink_runner
  SOURCES runner_fake.cpp runner_test.cpp runner_reopen_test.cpp runner_status_test.cpp
          runner_position_test.cpp runner_copy_test.cpp runner_host_test.cpp runner_meters_test.cpp runner_pause_test.cpp
          runner_window_test.cpp
  LIBS walspout_sink walspout_transaction_feed LABELS threads)
