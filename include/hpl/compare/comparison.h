#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/choice/choice.h"
#include "hpl/base/choice/choices.h"
#include "hpl/base/error/error.h"
#include "hpl/base/record/program_info.h"
#include "hpl/base/result/figure.h"
#include "hpl/base/result/remark.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

class Record;

/// The subject of a fact.
enum class FactSubject { Settings, Software, Hardware };
inline constexpr std::array<Choice<FactSubject>, 3> kFactSubjects{
    {{FactSubject::Settings, "settings"},
     {FactSubject::Software, "software"},
     {FactSubject::Hardware, "hardware"}}};

/// A fact that has another value than before.
struct ChangedFact {
  int side = 0;  ///< the first with the new value
  FactSubject subject = FactSubject::Software;
  std::string fact;  ///< "kernel"; "driver of NVIDIA H100"
  std::string from, to;
  std::vector<std::string> hosts{};  ///< as they are called on this side; empty: the job
};
void describe(Record& record, ChangedFact& change);

enum class ChangeVerdict {
  Better,
  Worse,
  Changed,  ///< of a figure without a bad side
  Noise,    ///< smaller than the noise
};
inline constexpr std::array<Choice<ChangeVerdict>, 4> kChangeVerdicts{
    {{ChangeVerdict::Better, "better"},
     {ChangeVerdict::Worse, "worse"},
     {ChangeVerdict::Changed, "changed"},
     {ChangeVerdict::Noise, "noise"}}};

/// A figure that two sides have.
struct FigureChange {
  Figure figure = Figure::Gflops;
  double from = 0, to = 0;  ///< in the unit of the figure
  double change = 0;        ///< percent of `from`; of a figure in points: their difference
  double noise = 0;         ///< in the unit of `change`
  bool repeated = false;    ///< the noise is that of repetitions
  ChangeVerdict verdict = ChangeVerdict::Noise;
};
void describe(Record& record, FigureChange& change);

/// A member as one side has it, or all members of a kind.
struct ComparedPoint {
  int side = 0;
  std::string name;  ///< on this side
  std::string kind;
  std::vector<std::string> serials{};
  int members = 1;
  int runs = 0;            ///< of all members together
  bool wrong = false;      ///< a solution is wrong, checksums disagree, or a device is faulty
  bool unchecked = false;  ///< a solution was not checked
  bool link = false;       ///< between two ranks of a check
  Figures figures{};       ///< of a kind: medians
  std::vector<FigureChange> changes{};  ///< against the first point
};
void describe(Record& record, ComparedPoint& point);

/// A member, or all of a kind, along the sides; those that lack it are left out.
struct ComparedMember {
  std::vector<ComparedPoint> points;
};
void describe(Record& record, ComparedMember& member);

/// A run that several sides have made, and the members that made it; or a check of theirs.
struct ComparedRun {
  std::optional<FleetMemberKind> each;  ///< empty: a job of more than two hosts, or a check
  RunSpec spec;
  bool check = false;                   ///< members are ranks and links
  std::vector<ComparedMember> kinds{};  ///< medians of the members that all of its sides have
  std::vector<ComparedMember> members{};
};
void describe(Record& record, ComparedRun& run);

/// A run, or a check, of one side that no other has made.
struct UncomparedRun {
  int side = 0;
  std::optional<FleetMemberKind> each;
  RunSpec spec;
  bool check = false;
  std::optional<double> gflops{};  ///< median of its members
  std::string difference{};        ///< from a run of another side; empty: no other is alike
};
void describe(Record& record, UncomparedRun& run);

/// Documents that were written at one time.
struct ComparedSide {
  std::string name;  ///< of the file or the folder
  std::vector<std::string> files;
  ZonedTime started{};
  ProgramInfo program{};  ///< that wrote the first of them
  int hosts = 0, members = 0;
};
void describe(Record& record, ComparedSide& side);

/// Measurements along a sequence of times: two are a comparison, more a history.
struct Comparison {
  ProgramInfo program{};
  bool history = false;  ///< --history: sides are dates
  std::vector<ComparedSide> sides;
  std::vector<ChangedFact> changes{};
  std::vector<ComparedRun> runs{};
  std::vector<UncomparedRun> uncompared{};
  std::vector<Remark> remarks{};
  std::optional<double> fail_below{};      ///< percent, below 0
  bool strict = false;                     ///< --strict: what could not be decided was missed
  std::vector<std::string> slow{};         ///< members that are below `fail_below`
  std::optional<std::string> undecided{};  ///< "not decided for 3 of 3 members, ..."
  std::optional<ExitCode> exit_code{};

  // Shortfalls of the last side: see kShortfalls.
  std::vector<std::string> wrong{}, failed{}, lost{}, unchecked{}, ended_early{};
};
void describe(Record& record, Comparison& comparison);

/// A list of what the last side of a comparison is not, beside being slow. Each of them is wrong.
struct Shortfall {
  std::vector<std::string> Comparison::*list;
  std::string_view name;  ///< in JSON
  std::string_view word;
  bool is_new;  ///< the first side is not so
  std::string_view meaning;
};
inline constexpr std::array<Shortfall, 5> kShortfalls{{
    {&Comparison::wrong, "wrong", "wrong", true,
     "Members that the last side has wrong, and the first not."},
    {&Comparison::failed, "failed", "failed", true,
     "Hosts that failed by themselves on the last side, and not on the first, with the reason."},
    {&Comparison::lost, "lost", "lost", false,
     "Members that the first side has, and the last not, of a run that both have made."},
    {&Comparison::unchecked, "unchecked", "not checked", true,
     "Members with a solution that was not checked on the last side, and none on the first."},
    {&Comparison::ended_early, "ended_early", "ended early", false,
     "Documents of the last side whose jobs did not come to their end."},
}};

/// The unit of a change: "%", or of figures in points their unit; "points" of percent.
std::string_view change_unit(Figure figure);

/// "device", "node", "pair", "job"
std::string_view name_of_members(const std::optional<FleetMemberKind>& each);

}  // namespace hpl
