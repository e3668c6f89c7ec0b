#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace hpl {

class Record;

/// Rows of b - A x that were made once more, without the device and its BLAS (own_product.h).
struct SampledRows {
  std::int64_t rows = 0;       ///< that were compared
  std::int64_t wrong = 0;      ///< of these, further apart than rounding allows
  std::int64_t first_row = 0;  ///< the first wrong one, global; its two values and the bound:
  double residual = 0, own = 0, tolerance = 0;
};

/// The scaled residual and what it is made of (netlib HPL_pdtest.c).
struct Residual {
  double scaled = 0;  ///< ||Ax-b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) N)
  double residual_infinity = 0;
  double matrix_infinity = 0, matrix_one = 0;
  double solution_infinity = 0, solution_one = 0;
  double right_side_infinity = 0;
  SampledRows samples{};  ///< if they are wrong, the larger values are part of the norm
  /// scaled < threshold; false when anything is NaN or infinite, or a sampled row is wrong
  bool passed = false;
};
/// Whether a residual is below its threshold. One that is not finite or not below the threshold of
/// its run is not, whatever its flag says.
bool residual_passed(const Residual& residual,
                     double threshold = std::numeric_limits<double>::infinity());
void describe(Record& record, Residual& residual);

/// Sums of rows that do not agree with the rows: something was computed or kept wrong on a rank.
struct ChecksumFault {
  int rank = 0;
  std::int64_t first_step = 0, last_step = -1;  ///< it arose in one of these
  std::int64_t rows = 0;                        ///< that do not agree
  std::int64_t first_row = 0;                   ///< global
  double difference = 0;                        ///< the largest; may be infinite or NaN
  double tolerance = 0;                         ///< the rounding bound
};

/// The result of a run's checksums (StepChecksums).
struct ChecksumResult {
  std::int64_t interval = 1;  ///< steps between comparisons
  /// Comparisons of a rank's sums: the fewest of all ranks that have rows below a panel. With 0
  /// nothing was shown.
  std::int64_t comparisons = 0;
  bool repeated = false;  ///< seen when the factorization was repeated because the residual failed
  std::vector<ChecksumFault> faults;  ///< of ranks, the earliest first; empty: none disagree
};
void describe(Record& record, ChecksumResult& checksums);

class Record;

/// The most iterations of a valid run of HPL-MxP.
inline constexpr int kMostRefinements = 50;

/// The refinement of an HPL-MxP run, and the time of its two parts. RunResult::seconds is their
/// sum.
struct Refinement {
  double factorization_seconds = 0;
  double refinement_seconds = 0;
  double factorization_gflops = 0;  ///< 2/3 N^3 / factorization_seconds
  int iterations = 0;               ///< each with one product by A and one solution by the factors
  /// Scaled residuals after each iteration, the first of which is the solution by the factors.
  std::vector<double> history;
  /// It ended before kMostRefinements, with a scaled residual below the tolerance.
  bool converged = false;
  int scale_exponent = 0;  ///< the stored matrix is 2^it times A
};
void describe(Record& record, Refinement& refinement);

class Record;

/// Bytes that were moved, by their way. Messages count where they arrive.
struct Traffic {
  std::int64_t host_to_device = 0, device_to_host = 0;  ///< copies
  std::int64_t peer = 0;  ///< messages from device to device by the devices' own library
  std::int64_t mpi = 0;   ///< messages by MPI, whatever memory they are in

  Traffic& operator+=(const Traffic& other) {
    host_to_device += other.host_to_device;
    device_to_host += other.device_to_host;
    peer += other.peer;
    mpi += other.mpi;
    return *this;
  }
  Traffic operator-(const Traffic& other) const {
    return {host_to_device - other.host_to_device, device_to_host - other.device_to_host,
            peer - other.peer, mpi - other.mpi};
  }
  bool operator==(const Traffic&) const = default;
};
void describe(Record& record, Traffic& traffic);

}  // namespace hpl
