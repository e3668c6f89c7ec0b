#pragma once

#include <array>
#include <string>
#include <string_view>

namespace hpl::test {

/// netlib HPL's own example file, line by line; line n stands at index n - 1.
inline constexpr std::array<std::string_view, 31> kNetlibExample{
    "HPLinpack benchmark input file",
    "Innovative Computing Laboratory, University of Tennessee",
    "HPL.out      output file name (if any)",
    "6            device out (6=stdout,7=stderr,file)",
    "4            # of problems sizes (N)",
    "29 30 34 35  Ns",
    "4            # of NBs",
    "1 2 3 4      NBs",
    "0            PMAP process mapping (0=Row-,1=Column-major)",
    "3            # of process grids (P x Q)",
    "2 1 4        Ps",
    "2 4 1        Qs",
    "16.0         threshold",
    "3            # of panel fact",
    "0 1 2        PFACTs (0=left, 1=Crout, 2=Right)",
    "2            # of recursive stopping criterium",
    "2 4          NBMINs (>= 1)",
    "1            # of panels in recursion",
    "2            NDIVs",
    "3            # of recursive panel fact.",
    "0 1 2        RFACTs (0=left, 1=Crout, 2=Right)",
    "1            # of broadcast",
    "0            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)",
    "1            # of lookahead depth",
    "0            DEPTHs (>=0)",
    "2            SWAP (0=bin-exch,1=long,2=mix)",
    "64           swapping threshold",
    "0            L1 in (0=transposed,1=no-transposed) form",
    "0            U  in (0=transposed,1=no-transposed) form",
    "1            Equilibration (0=no,1=yes)",
    "8            memory alignment in double (> 0)"};

using Lines = std::array<std::string_view, 31>;

inline std::string join(const Lines& lines, std::string_view line_end = "\n") {
  std::string text;
  for (const auto line : lines) {
    text += line;
    text += line_end;
  }
  return text;
}

/// netlib's example with line `line` (from 1) replaced.
inline std::string example_with(int line, std::string_view text) {
  Lines lines = kNetlibExample;
  lines[static_cast<std::size_t>(line - 1)] = text;
  return join(lines);
}

}  // namespace hpl::test
