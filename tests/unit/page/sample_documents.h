#pragma once

#include <nlohmann/json.hpp>

#include "hpl/page/run_file.h"

namespace hpl::test {

/// The member "preflight" of a document: an outlier and a remark.
inline nlohmann::json full_check() {
  return nlohmann::json::parse(R"({
  "form": "full", "seconds": 12.5, "tolerance": 0.05, "sound": false, "ranks": 8, "nodes": 2,
  "metrics": [{"metric": "host_dgemm", "label": "host DGEMM, a core", "unit": "GFLOP/s",
               "group": "Xeon", "count": 8, "minimum": 70.5, "median": 81.25, "maximum": 82,
               "worst_rank": 5, "worst_peer": null}],
  "findings": [{"kind": "outlier", "rank": 5, "host": "node1", "device": "cpu", "peer": 3,
                "peer_host": "node0", "bad_links": 0, "metric": "host_dgemm", "value": 70.5,
                "median": 81.25, "what": "13 % below the median"},
               {"kind": "remark", "rank": 0, "host": "node0", "device": "cpu", "peer": null,
                "peer_host": null, "bad_links": 0, "metric": null, "value": null, "median": null,
                "what": "no sensor of power"}]})");
}

/// The same of the deep form: slower together than alone, and a start.
inline nlohmann::json deep_check() {
  nlohmann::json check = full_check();
  check["form"] = "deep";
  check["deep"] = nlohmann::json::parse(R"([
    {"figure": "copy_in_together", "label": "copy <host> to device", "unit": "GB/s",
     "group": "H200", "count": 8, "minimum": 30.5, "median": 40.25, "maximum": 41,
     "lower_is_better": false, "worst_rank": 6, "share": 0.75},
    {"figure": "device_context", "label": "device context", "unit": "ms", "group": "H200",
     "count": 1, "minimum": 230, "median": 230, "maximum": 230, "lower_is_better": true,
     "worst_rank": 0, "share": null}])");
  return check;
}

inline nlohmann::json check_document(const nlohmann::json& check, int exit_code = 1) {
  return {{"schema_version", 1},
          {"program", {{"name", "xhpl"}, {"version", "1.2.3"}}},
          {"remarks", nlohmann::json::array()},
          {"preflight", check},
          {"ranks", nlohmann::json::array()},
          {"exit_code", exit_code}};
}

inline nlohmann::json tuning_trial(const std::string& stage, const std::string& block_size,
                                   double gflops) {
  return {{"stage", stage},
          {"settings", {{"--NB", block_size}, {"--depth", "1"}}},
          {"panel_alone", false},
          {"level", 1},
          {"repetition", 0},
          {"seconds", gflops > 0 ? nlohmann::json(2.5) : nlohmann::json(nullptr)},
          {"failure", gflops > 0 ? nlohmann::json(nullptr) : nlohmann::json("too hot")},
          {"trial_seconds", 2.5},
          {"gflops", gflops > 0 ? nlohmann::json(gflops) : nlohmann::json(nullptr)},
          {"residual", nullptr},
          {"verdict", "kept"},
          {"reason", "the <best>"}};
}

inline nlohmann::json tuning_document() {
  return {
      {"schema_version", 1},
      {"kind", "tune"},
      {"program", {{"name", "xhpl"}, {"version", "1.2.3"}}},
      {"machine", "a processor"},
      {"ranks", 2},
      {"nodes", 1},
      {"order", 20000},
      {"trial_order", 8000},
      {"method", "halving"},
      {"budget_seconds", 600},
      {"run_seconds_estimated", 10},
      {"estimated_by", "the model"},
      {"preparation_seconds", 1},
      {"spent_seconds", 580},
      {"ended", true},
      {"out_of_time", false},
      {"exit_code", 0},
      {"best", {{"settings", {{"--NB", "256"}, {"--depth", "1"}}}, {"gflops", 55.5}}},
      {"untuned", {{"settings", {{"--NB", "192"}, {"--depth", "1"}}}, {"gflops", 50}}},
      {"dat_file", "t.dat"},
      {"earlier_trials", nlohmann::json::array()},
      {"interruptions", nlohmann::json::array()},
      {"rates", nullptr},
      {"command", "mpirun -np 2 xhpl --dat t.dat"},
      {"settings",
       {{{"flag", "--NB"},
         {"values", {"192", "256"}},
         {"untuned", "192"},
         {"compared", "combinations"}},
        {{"flag", "--depth"}, {"values", {"1"}}, {"untuned", "1"}, {"compared", "combinations"}}}},
      {"trials", {tuning_trial("combinations", "192", 50), tuning_trial("final", "256", 55.5)}}};
}

inline page::RunFile file_of(const nlohmann::json& document,
                             const std::string& name = "some.json") {
  return page::parse_run_file(name, document.dump());
}

}  // namespace hpl::test
