#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "hpl/pipeline/job_control.h"

namespace hpl {

/// Looks after one run from a thread of its own: when no step finishes for `limit`, calls
/// `on_timeout` with who waits for what. A limit of 0 looks after nothing.
class Watchdog {
 public:
  Watchdog(const JobControl& control, std::chrono::duration<double> limit,
           std::function<void(const std::string& waiting)> on_timeout);

 private:
  std::jthread thread_;
};

}  // namespace hpl
