#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "emulation/arithmetic.h"
#include "hpcx/emulation.h"
#include "hpcx/stream.h"

/// The faults of the residues that a device has made: for messages of tests that fail.
namespace hpcx::test {

/// Residues of an operand in host memory.
struct HostResidues {
  HostResidues(StreamRef stream, const ResidueView& on_device)
      : view(on_device),
        bytes(static_cast<std::size_t>(view.moduli * view.plane())),
        exponents(static_cast<std::size_t>(view.lines)) {
    if (!bytes.empty()) stream.copy(bytes.data(), on_device.residues, bytes.size());
    if (!exponents.empty())
      stream.copy(exponents.data(), on_device.exponents, 4 * exponents.size());
    stream.synchronize();
  }
  int at(int modulus, std::int64_t line, std::int64_t k) const {
    return bytes[static_cast<std::size_t>(modulus * view.plane() + line * view.pitch() + k)];
  }
  std::int32_t exponent(std::int64_t line) const {
    return exponents[static_cast<std::size_t>(line)];
  }

  ResidueView view;
  std::vector<std::int8_t> bytes;
  std::vector<std::int32_t> exponents;
};

/// The residues of a line by the arithmetic that all devices share.
struct ExpectedLine {
  /// element(k): the matrix's.
  template <class Element>
  ExpectedLine(std::int64_t depth, int moduli, Element element)
      : constants(emulation::constants(moduli)) {
    std::int32_t largest = emulation::kAllZero;
    std::uint64_t squares = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      largest = std::max(largest, emulation::magnitude_of(element(k)).exponent);
    if (largest != emulation::kNotFinite)
      for (std::int64_t k = 0; k < depth; ++k)
        squares += emulation::bounded_square(element(k), largest);
    exponent = emulation::line_exponent(largest, squares, constants.norm_limit);
    if (exponent == emulation::kNotFinite) {
      pieces.assign(static_cast<std::size_t>(depth), {});
      return;
    }
    for (std::int64_t k = 0; k < depth; ++k)
      pieces.push_back(emulation::pieces_of(emulation::scaled_integer(
          element(k), emulation::first_factor(exponent), emulation::second_factor(exponent))));
  }
  int residue(int modulus, std::int64_t k) const {
    return static_cast<std::size_t>(k) < pieces.size()
               ? emulation::residue(pieces[static_cast<std::size_t>(k)],
                                    constants.reductions[static_cast<std::size_t>(modulus)])
               : 0;
  }

  const emulation::Constants& constants;
  std::int32_t exponent = 0;
  std::vector<emulation::Pieces> pieces{};
};

/// The first difference between a line of residues and what it should be; empty where there is
/// none.
inline std::string wrong_line(const HostResidues& made, std::int64_t line,
                              const ExpectedLine& expected, const std::string& name) {
  const auto said = [&](const std::string& what, int is, int should) {
    return name + std::to_string(line) + what + " is " + std::to_string(is) + ", should be " +
           std::to_string(should);
  };
  if (made.exponent(line) != expected.exponent)
    return said(": exponent", made.exponent(line), expected.exponent);
  for (int m = 0; m < made.view.moduli; ++m)
    for (std::int64_t k = 0; k < made.view.pitch(); ++k)
      if (made.at(m, line, k) != expected.residue(m, k))
        return said(": residue modulo " +
                        std::to_string(emulation::kModuli[static_cast<std::size_t>(m)]) +
                        " of element " + std::to_string(k),
                    made.at(m, line, k), expected.residue(m, k));
  return {};
}

/// The residue that the product of line i of x and line j of y should have.
inline int expected_product(const HostResidues& x, std::int64_t i, const HostResidues& y,
                            std::int64_t j, int modulus) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < x.view.pitch(); ++k)
    sum += x.at(modulus, i, k) * y.at(modulus, j, k);
  const int m = emulation::kModuli[static_cast<std::size_t>(modulus)];
  auto residue = static_cast<int>(sum % m);
  if (2 * residue >= m) residue -= m;
  if (2 * residue < -m) residue += m;
  return residue;
}

/// A double with its bits.
inline std::string with_bits(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g (%a)", x, x);
  return text;
}

}  // namespace hpcx::test
