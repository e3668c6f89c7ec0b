#pragma once

#include <exception>
#include <functional>
#include <string>

namespace hpl {

/// Runs `work`. The first error is kept in `failed`, and the rank goes on to what it does with
/// others.
inline void attempt(std::string& failed, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    if (failed.empty()) failed = error.what();
  }
}

}  // namespace hpl
