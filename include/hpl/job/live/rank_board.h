#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hpl {

/// A rank's report on itself while a run goes on. Crosses ranks as bytes.
struct ProgressSample {
  std::int32_t rank = 0;
  double gflops = 0;  ///< of its products since the sample before, while it was at them; 0: none
  double celsius = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no sensor
  double watts = std::numeric_limits<double>::quiet_NaN();
};

/// The last sample of every rank, and who stands out among them.
class RankBoard {
 public:
  /// `names` by rank, as they are shown: "rank 3 on node02, cuda 1".
  explicit RankBoard(std::vector<std::string> names);

  /// A sample without products leaves the rank's last rate alone. Unknown ranks are ignored.
  void put(const ProgressSample& sample);

  /// "slowest rank 3 on node02 50.10 TFLOP/s", "fastest ...", "hottest ... 81 C",
  /// "most power ... 702 W". What no rank has told is left out; the rates come together.
  std::vector<std::string> fields() const;

 private:
  std::vector<std::string> names_;
  std::vector<ProgressSample> last_;
};

}  // namespace hpl
