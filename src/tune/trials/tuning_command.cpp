#include "tuning_command.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"

namespace hpl {

TuneCommand broadcast(const mpi::Communicator& world, TuneCommand command) {
  std::string text;
  if (world.rank() == 0 && !command.end) {
    const TuneRequest& request = command.request;
    text = fmt::format("{} {} {}", request.panel_alone ? 1 : 0, request.level, request.repetition);
    for (const std::size_t value : request.point)
      text += fmt::format(" {}", value);
  }
  text = world.broadcast(text, 0);
  std::vector<std::size_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    numbers.push_back(static_cast<std::size_t>(*parse_integer(text.substr(at, blank - at))));
    at = blank + 1;
  }
  if (numbers.empty()) return {.end = true, .request = {}};
  return {.end = false,
          .request = {.point = {numbers.begin() + 3, numbers.end()},
                      .panel_alone = numbers[0] == 1,
                      .level = static_cast<int>(numbers[1]),
                      .repetition = static_cast<int>(numbers[2])}};
}

}  // namespace hpl
