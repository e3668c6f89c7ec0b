#pragma once

#include <cstdint>

namespace hpl::mpi {

/// Throws RunError with MPI's own text, the call and its place unless `code` is MPI_SUCCESS.
void check(int code, const char* call, const char* file, int line);

/// `value` as MPI's int. Throws RunError when it does not fit: counts grow with N, MPI's do not.
int narrow_to_int(std::int64_t value);

}  // namespace hpl::mpi

/// Every MPI call of the program goes through it. Needs communicators that return errors, as ours
/// do.
#define HPL_MPI_CHECK(call) ::hpl::mpi::check((call), #call, __FILE__, __LINE__)
