#include "application.h"
#include "hpl/machine/host/environment.h"

int main(int argc, char** argv) {
  if (!hpl::is_of_another_program(argc, argv)) hpl::ensure_environment(argc, argv);
  return hpl::run_application(argc, argv);
}
