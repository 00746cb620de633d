// A plugin whose entry breaks the contract: an exception comes through the C boundary.
#include <walspout/abi.h>
#include <stdexcept>

extern "C" WALSPOUT_EXPORT const walspout_plugin* walspout_plugin_v1(void) { THROW; }
