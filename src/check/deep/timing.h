#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/check/deep/deep_check.h"

namespace hpl {

/// Runs `work`; what it throws is kept in `failed`, where nothing stands there yet, so that the
/// rank can go on to what it does with others.
inline bool attempt(std::string& failed, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const std::exception& error) {
    if (failed.empty()) failed = error.what();
    return false;
  }
}

/// A device to be measured.
struct DeepTarget {
  hpcx::Device& device;
  bool mine = true;    ///< this rank takes part; else it only keeps the others company
  double seconds = 0;  ///< that this may take, about
};

/// The memory in which `device` computes that this rank may take.
std::int64_t memory_of(const DeepSetup& setup, hpcx::Device& device);

/// Seconds of one time of `enqueue`, by the device's clock; several of it in a sample where one is
/// too short for the clock. Samples for about `seconds`, at least two.
std::vector<double> samples_of(hpcx::StreamRef stream, double seconds,
                               const std::function<void()>& enqueue);
/// The value that stands for samples. On a host it is the least, since others on the machine
/// disturb. On a device it is the median, which its power allows.
double typical(const hpcx::Device& device, std::vector<double> samples);

/// Byte/s, read and written, of copies within the device's memory.
double memory_copy_rate(hpcx::Device& device, std::int64_t memory_bytes, double seconds);

}  // namespace hpl
