#include <set>

#include <nlohmann/json.hpp>

#include "reports/report.h"

namespace warplock::reports {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

Json test_json(const TestResult& t) {
  Json json = {{"kernel", t.kernel},
               {"family", t.family},
               {"input", t.input},
               {"warp_width", t.warp_width},
               {"executor", t.executor},
               {"against", t.against},
               {"verdict", spelling(t.verdict)},
               {"compared_events", t.compared_events},
               {"order_dependent_events", t.order_dependent_events},
               {"seconds", t.seconds},
               {"reason", or_null(t.reason)}};
  if (t.fault) json["fault"] = true;
  if (t.explanation) json["explanation"] = *t.explanation;
  if (t.reproduce) json["reproduce"] = *t.reproduce;
  return json;
}

Json summary_json(const Report& report) {
  std::set<std::string> kernels;
  for (const TestResult& t : report.tests) kernels.insert(t.kernel);
  Json json = {{"kernels", kernels.size()},
               {"tests", report.tests.size()},
               {"pass", report.count(Verdict::kPass)}};
  for (Verdict v :
       {Verdict::kMismatch, Verdict::kCrash, Verdict::kTimeout, Verdict::kUnsupported,
        Verdict::kInconclusive, Verdict::kFlaky, Verdict::kWaived, Verdict::kUnexpectedPass}) {
    if (size_t n = report.count(v)) json[std::string(spelling(v))] = n;
  }
  return json;
}

/// Text of an executor may hold any byte: what is not UTF-8 is replaced.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json_line(const TestResult& test) {
  return dump(test_json(test), -1);
}

std::string to_json(const Report& report) {
  Json executors = Json::array();
  for (const ExecutorInfo& e : report.executors) {
    executors.push_back({{"name", e.name}, {"version", e.version}, {"device", or_null(e.device)}});
  }
  Json tests = Json::array();
  for (const TestResult& t : report.tests) tests.push_back(test_json(t));
  Json json = {{"schema", 1},
               {"command", report.command},
               {"version", report.version},
               {"seed", report.seed},
               {"started", report.started},
               {"seconds", report.seconds},
               {"executors", executors},
               {"tests", tests},
               {"summary", summary_json(report)}};
  if (!report.outputs.empty()) json["outputs"] = report.outputs;
  return dump(json, 1);
}

}  // namespace warplock::reports
