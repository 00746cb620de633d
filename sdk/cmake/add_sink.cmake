# add_sink(NAME sources...): builds NAME.so, a walspout sink plugin, in plugins/ of the build folder.
# The target is sink_NAME: link what else the sink needs to that.
#
# Hidden visibility and the version script keep everything but the entry symbol private: with default
# visibility two plugins in one process share their inline statics (STB_GNU_UNIQUE).
function(add_sink name)
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/walspout-plugin.map)
  set(target sink_${name})
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE walspout::sdk)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()
