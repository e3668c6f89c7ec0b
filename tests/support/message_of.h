#pragma once

#include <exception>
#include <string>

namespace hpl::test {

/// The message of the error that `action` throws; "no error" if it throws none.
template <class Error = std::exception, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace hpl::test
