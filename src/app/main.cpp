#include "hpl/app/application.h"
#include "hpl/host/environment.h"

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  return hpl::run_application(argc, argv);
}
