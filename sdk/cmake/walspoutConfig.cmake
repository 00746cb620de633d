# find_package(walspout 1 CONFIG): walspout::sdk (the headers) and add_sink(). The package's version is
# that of the plugin contract, WALSPOUT_ABI_MAJOR.WALSPOUT_ABI_MINOR.
include(${CMAKE_CURRENT_LIST_DIR}/walspoutTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/add_sink.cmake)
