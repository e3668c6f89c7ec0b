#include "predict_application.h"

int main(int argc, char** argv) {
  return hpl::run_predict_application(argc, argv);
}
