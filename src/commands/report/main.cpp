#include "report_application.h"

int main(int argc, char** argv) {
  return hpl::page::run_report_application(argc, argv);
}
