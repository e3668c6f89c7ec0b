#include "commands/report/schemas.h"

#include <gtest/gtest.h>

#include "hpl/base/json/json_text.h"

namespace hpl::page {
namespace {

TEST(Schemas, ThatArePublishedAreThoseOfTheProgram) {
  for (const auto& [make, kind, alias, report] : kSchemas)
    EXPECT_EQ(make(), read_json_text(HPL_DOCS_DIR "/schema/" + std::string(kind) + ".schema.json"))
        << "xhpl-report --schema " << kind << " > docs/schema/" << kind << ".schema.json";
}

}  // namespace
}  // namespace hpl::page
