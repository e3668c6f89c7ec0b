#include "application.h"
#include "hpl/machine/host/environment.h"

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  return hpl::run_application(argc, argv);
}
