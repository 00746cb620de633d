/* A plugin whose entry has nothing to give. */
const void* walspout_plugin_v1(void);
const void* walspout_plugin_v1(void) { return 0; }
