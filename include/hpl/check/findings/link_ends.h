#pragma once

#include <map>
#include <optional>

namespace hpl {

/// Links by both their ends: what is bad at one end makes every link of it bad, and is one finding.
class LinkEnds {
 public:
  void add_link(int one, int other) {
    ++ends_[one].links;
    ++ends_[other].links;
  }
  void add_bad(int one, int other) {
    ++ends_[one].bad;
    ++ends_[other].bad;
  }
  void remove_bad(int one, int other) {
    --ends_[one].bad;
    --ends_[other].bad;
  }
  int links(int end) const { return ends_.at(end).links; }
  int bad(int end) const { return ends_.at(end).bad; }

  /// The end with the most bad links among those whose links are bad for the greater part.
  std::optional<int> culprit() const {
    std::optional<int> worst;
    for (const auto& [number, end] : ends_)
      if (end.bad >= 2 && 2 * end.bad > end.links && (!worst || end.bad > bad(*worst)))
        worst = number;
    return worst;
  }

 private:
  struct End {
    int links = 0, bad = 0;
  };
  std::map<int, End> ends_;
};

}  // namespace hpl
