#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/record/record.h"
#include "hpl/page/run_file.h"

namespace hpl::page {

/// A field of the forms by which systems are entered into the TOP500, Green500 and HPL-MxP lists.
struct FormField {
  std::string key, label, unit;
  Record::Json value;  ///< null: unknown
  std::string note;    ///< the source of the value, or the flag that would bring it
};
struct FormPart {
  std::string list;  ///< "TOP500", "Green500", "HPL-MxP"
  std::vector<FormField> fields;
};

/// Runs of a file that the lists do not take, all for the same reason.
struct LeftOut {
  std::string file, reason;
  std::int64_t runs = 0;                    ///< 0: the file has none
  std::optional<std::int64_t> fastest_run;  ///< by its index in the job; empty: none has a rate
  std::optional<double> gflops;             ///< of the fastest
};
struct ListForm {
  std::vector<FormPart> parts;
  std::vector<LeftOut> left_out;
  std::vector<std::string> remarks{};  ///< on the job of the run: gates that it missed
};

/// The forms of TOP500 and Green500. Filled from the fastest run that the lists take: in native
/// FP64, of a job that ended with exit code 0 or missed a gate, with checksums that agree and a
/// residual below a threshold of at most 16. Throws ConfigError where there is none.
ListForm top500_form(std::span<const RunFile> files);

/// The form of HPL-MxP. Filled from its fastest run that the list takes, with a matrix that is not
/// for testing only; beside it the rate of the fastest run of HPL that top500_form() takes, if any.
/// Throws ConfigError where there is none of HPL-MxP.
ListForm mxp_form(std::span<const RunFile> files);

std::string form_text(const ListForm& form);

void describe(Record& record, FormField& field);
void describe(Record& record, FormPart& part);
void describe(Record& record, LeftOut& left_out);
/// The document of docs/schema/top500.schema.json, which is written and not read.
void describe(Record& record, ListForm& form);

}  // namespace hpl::page
