#include "hpl/base/result/host_work.h"

#include <algorithm>

namespace hpl {

HostWork& HostWork::operator+=(const HostWork& other) {
  if (other.imbalance() > imbalance()) {
    apart_seconds = other.apart_seconds;
    step_seconds = other.step_seconds;
  }
  first_share = std::max(first_share, other.first_share);
  last_share = std::max(last_share, other.last_share);
  work += other.work;
  all_work += other.all_work;
  flops += other.flops;
  seconds = std::max(seconds, other.seconds);
  given_up += other.given_up;
  return *this;
}

}  // namespace hpl
