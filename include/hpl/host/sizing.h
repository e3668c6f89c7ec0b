#pragma once

#include <cstdint>
#include <optional>

#include "hpl/grid/grid_shape.h"

namespace hpl {

/// Block size (NB) for a matrix of that order. Wide blocks raise the rate of the multiplication,
/// narrow ones shorten the panel, which a small matrix cannot hide; GPUs need both much larger.
std::int64_t block_size_for(std::int64_t order, ProcessorKind kind);

/// What decides how much memory the largest process of a grid needs.
struct MemoryModel {
  GridShape grid;
  std::int64_t block_size = 1;  ///< NB
  /// Widest column chunk of the tail update; less where the matrix is narrower.
  std::int64_t chunk_columns = 4096;
  int chunk_buffers = 3;  ///< NB x chunk_columns each
  int panels = 2;         ///< in flight: the one in use and the one ahead; (mp x NB) + NB^2 each
  std::int64_t alignment = 16;          ///< of both local dimensions, in elements
  std::int64_t fixed_bytes = 64 << 20;  ///< program, MPI and BLAS buffers of a process
};

/// Bytes that process (0, 0), which holds the most, needs for a matrix [A|b] of that order: local
/// matrix and workspaces.
std::int64_t bytes_for_order(std::int64_t order, const MemoryModel& model);

/// Largest order, a multiple of the block size, whose processes fit into fraction (0 to 1) of
/// bytes_total, the memory that all processes of the grid together may use in equal parts. 0 when
/// not even one block fits.
std::int64_t order_for_memory(std::int64_t bytes_total, double fraction, const MemoryModel& model);

/// Time of the timed part at a rate in Gflop/s (> 0).
double estimated_seconds(std::int64_t order, double gflops);

/// Largest order, a multiple of the block size, that ends within seconds at that rate; at least one
/// block.
std::int64_t order_for_seconds(double gflops, double seconds, std::int64_t block_size);

/// What an automatic run goes by.
struct AutomaticSize {
  std::int64_t bytes_total = 0;           ///< as in order_for_memory()
  std::optional<double> memory_fraction;  ///< as the user gave it; then the time does not count
  double gflops = 0;    ///< expected rate of all processes; 0: unknown, then memory alone decides
  double seconds = 75;  ///< wanted duration of the timed part
  MemoryModel model;
};

/// Share of the available memory that a run takes unless the user says otherwise.
inline constexpr double kDefaultMemoryFraction = 0.8;

/// The smaller of what fits into memory and what ends in time; 0 when nothing fits.
std::int64_t automatic_order(const AutomaticSize& wish);

}  // namespace hpl
