#include "hpl_dat.h"

#include <string_view>

namespace hpl::test {
namespace {

std::string list(const std::vector<int>& values) {
  std::string text;
  for (const int value : values)
    text += std::to_string(value) + " ";
  return text;
}

std::string count(const std::vector<int>& values) {
  return std::to_string(values.size());
}

}  // namespace

std::vector<std::string> lines_of(const HplDat& dat) {
  const auto field = [](const std::string& value, std::string_view comment) {
    return value + "   " + std::string(comment);
  };
  return {
      "HPLinpack benchmark input file",
      "written by a test",
      field(dat.output_file, "output file name (if any)"),
      field(std::to_string(dat.device_out), "device out (6=stdout,7=stderr,file)"),
      field(count(dat.orders), "# of problems sizes (N)"),
      field(list(dat.orders), "Ns"),
      field(count(dat.block_sizes), "# of NBs"),
      field(list(dat.block_sizes), "NBs"),
      field(std::to_string(dat.pmap), "PMAP process mapping (0=Row-,1=Column-major)"),
      field(count(dat.grid_rows), "# of process grids (P x Q)"),
      field(list(dat.grid_rows), "Ps"),
      field(list(dat.grid_columns), "Qs"),
      field(dat.threshold, "threshold"),
      field(count(dat.pfacts), "# of panel fact"),
      field(list(dat.pfacts), "PFACTs (0=left, 1=Crout, 2=Right)"),
      field(count(dat.nbmins), "# of recursive stopping criterium"),
      field(list(dat.nbmins), "NBMINs (>= 1)"),
      field(count(dat.ndivs), "# of panels in recursion"),
      field(list(dat.ndivs), "NDIVs"),
      field(count(dat.rfacts), "# of recursive panel fact."),
      field(list(dat.rfacts), "RFACTs (0=left, 1=Crout, 2=Right)"),
      field(count(dat.bcasts), "# of broadcast"),
      field(list(dat.bcasts), "BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)"),
      field(count(dat.depths), "# of lookahead depth"),
      field(list(dat.depths), "DEPTHs (>=0)"),
      field(std::to_string(dat.swap), "SWAP (0=bin-exch,1=long,2=mix)"),
      field(std::to_string(dat.swap_threshold), "swapping threshold"),
      field(std::to_string(dat.l1), "L1 in (0=transposed,1=no-transposed) form"),
      field(std::to_string(dat.u), "U  in (0=transposed,1=no-transposed) form"),
      field(std::to_string(dat.equilibration), "Equilibration (0=no,1=yes)"),
      field(std::to_string(dat.alignment), "memory alignment in double (> 0)"),
  };
}

std::string join_lines(const std::vector<std::string>& lines, const std::string& line_end) {
  std::string text;
  for (const std::string& line : lines)
    text += line + line_end;
  return text;
}

}  // namespace hpl::test
