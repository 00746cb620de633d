#include "pipeline/pipeline.hpp"

namespace walspout {

void StopSignal::request_stop() noexcept {
  level_.fetch_add(1, std::memory_order_acq_rel);
  wake_.ring();
}

}  // namespace walspout
