# add_sink(NAME sources...): builds NAME.so, a walspout sink plugin.
#
# Hidden visibility and the version script keep everything but the entry symbol private: with default
# visibility two plugins in one process share their inline statics (STB_GNU_UNIQUE).
set(WALSPOUT_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/walspout-plugin.map)
function(add_sink name)
  set(target sink_${name})
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE walspout::sdk)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  target_link_options(${target} PRIVATE -Wl,--version-script=${WALSPOUT_PLUGIN_MAP})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${WALSPOUT_PLUGIN_MAP})
endfunction()
