#include "campaign_application.h"

int main(int argc, char** argv) {
  return hpl::campaign::run_campaign_application(argc, argv);
}
