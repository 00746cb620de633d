/* A plugin of a later major version of the contract. */
const void* walspout_plugin_v2(void);
const void* walspout_plugin_v2(void) { return 0; }
