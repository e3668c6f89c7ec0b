// Starts itself again through ensure_environment() and prints what the second self sees. With
// --expect-ranks n it also starts MPI and fails unless n ranks reach each other.

#include <mpi.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "hpl/machine/host/environment.h"

// An OpenBLAS that picks SSE unless told otherwise. The names are the library's.
extern "C" {
char* openblas_get_config() {
  static char config[] = "OpenBLAS 0.3.21 DYNAMIC_ARCH Prescott";
  return config;
}

char* openblas_get_corename() {
  static char prescott[] = "Prescott";
  char* const requested = std::getenv("OPENBLAS_CORETYPE");
  return requested != nullptr ? requested : prescott;
}

int openblas_get_parallel() {
  return 0;
}

// A library with a function of this name is the BLAS. Not called.
void cblas_dgemm() {}
}

namespace {

int count_ranks(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int one = 1, ranks = 0;
  MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return ranks;
}

}  // namespace

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  for (const auto* name : {"HPL_REEXEC", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    std::cout << name << '=' << hpl::environment_value(name).value_or("") << '\n';
  }
  std::cout << hpl::describe_blas(hpl::blas_info(), hpl::kernel_choice()) << '\n';
  for (int i = 1; i < argc; ++i) {
    std::cout << "argument " << argv[i] << '\n';
  }
  if (argc == 3 && std::string(argv[1]) == "--expect-ranks") {
    const bool restarted = hpl::environment_value("HPL_REEXEC").has_value();
    return restarted && count_ranks(argc, argv) == std::atoi(argv[2]) ? 0 : 1;
  }
  return 0;
}
