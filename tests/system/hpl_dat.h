#pragma once

#include <string>
#include <vector>

namespace hpl::test {

/// The fields of an HPL.dat as a test wants them; the defaults are one small run on one rank.
struct HplDat {
  std::string output_file = "HPL.out";
  int device_out = 6;
  std::vector<int> orders{100};
  std::vector<int> block_sizes{16};
  int pmap = 0;
  std::vector<int> grid_rows{1};
  std::vector<int> grid_columns{1};
  std::string threshold = "16.0";
  std::vector<int> pfacts{2};
  std::vector<int> nbmins{4};
  std::vector<int> ndivs{2};
  std::vector<int> rfacts{1};
  std::vector<int> bcasts{1};
  std::vector<int> depths{1};
  int swap = 2;
  int swap_threshold = 64;
  int l1 = 0;
  int u = 0;
  int equilibration = 1;
  int alignment = 8;
};

/// The file's 31 lines, without line ends; line n of the file is element n - 1.
std::vector<std::string> lines_of(const HplDat& dat);

/// Lines joined to the content of a file.
std::string join_lines(const std::vector<std::string>& lines, const std::string& line_end = "\n");

}  // namespace hpl::test
