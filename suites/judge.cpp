#include "suites/judge.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "trace/compare.h"
#include "trace/explain.h"

namespace warplock::suites {
namespace {

using executor::Execution;
using executor::Outcome;
using executor::Refusal;
using reports::TestResult;
using reports::Verdict;

using Outputs = std::vector<std::pair<std::string, std::vector<uint32_t>>>;

TestResult begin(const Case& test, const Named& subject, std::string against) {
  TestResult result;
  result.kernel = test.kernel;
  result.family = test.family;
  result.input = test.input;
  result.warp_width = test.launch.warp_width;
  result.executor = subject.name;
  result.against = std::move(against);
  if (const auto* execution = std::get_if<Execution>(&subject.outcome)) {
    result.seconds = execution->seconds;
  }
  return result;
}

void conclude(TestResult& result, Verdict verdict, std::string reason) {
  result.verdict = verdict;
  result.reason = std::move(reason);
}

std::string first_message(const Refusal& refusal) {
  if (refusal.diagnostics.empty()) return refusal.reason;
  const diagnostics::Diagnostic& d = refusal.diagnostics.front();
  return fmt::format("{}: {} ({}:{}:{})", d.klass, d.message, d.file, d.position.line,
                     d.position.column);
}

bool is_step_limit(const Refusal& refusal) {
  return !refusal.diagnostics.empty() && refusal.diagnostics.front().klass == "step limit";
}

/// The verdict of a refusal by the executor under test.
void conclude_refusal(TestResult& result, const Refusal& refusal) {
  std::string message = first_message(refusal);
  if (!refusal.diagnostics.empty()) result.explanation = diagnostics::render(refusal.diagnostics);
  switch (refusal.kind) {
    case Refusal::Kind::kUnsupported:
      return conclude(result, Verdict::kUnsupported, message);
    case Refusal::Kind::kTimeout:
      return conclude(result, Verdict::kTimeout, message);
    case Refusal::Kind::kCrash:
      return conclude(result, Verdict::kCrash, message);
    case Refusal::Kind::kError:
      return conclude(result, Verdict::kInconclusive, message);
    case Refusal::Kind::kFault:
      if (is_step_limit(refusal)) return conclude(result, Verdict::kTimeout, message);
      return conclude(result, Verdict::kMismatch,
                      fmt::format("{} found a fault that {} did not: {}", result.executor,
                                  result.against, message));
  }
}

const std::vector<uint32_t>* find(const Outputs& outputs, const std::string& name) {
  auto found = std::find_if(outputs.begin(), outputs.end(),
                            [&](const auto& entry) { return entry.first == name; });
  return found == outputs.end() ? nullptr : &found->second;
}

/// The first word that differs, as one line; empty when none does.
std::string first_difference(const std::string& buffer, const std::vector<uint32_t>& got,
                             const std::vector<uint32_t>& wanted, const std::string& wanted_by) {
  if (got.size() != wanted.size()) {
    return fmt::format("{} has {} words, {} has {}", buffer, got.size(), wanted_by, wanted.size());
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] != wanted[i]) {
      return fmt::format("{}[{}] is {} (0x{:x}), {} says {} (0x{:x})", buffer, i, got[i], got[i],
                         wanted_by, wanted[i], wanted[i]);
    }
  }
  return {};
}

/// Compares with the expected buffers; counts the words. Returns the first difference.
std::string check_expected(const Case& test, const Execution& execution, uint64_t& words) {
  for (const auto& [buffer, wanted] : test.launch.expect) {
    const std::vector<uint32_t>* got = find(execution.outputs, buffer);
    if (!got) return fmt::format("{} has no final contents", buffer);
    std::string difference = first_difference(buffer, *got, wanted, test.expect_source);
    if (!difference.empty()) return difference;
    words += wanted.size();
  }
  return {};
}

std::string check_outputs(const Execution& subject, const Execution& baseline,
                          const std::string& baseline_name, uint64_t& words) {
  for (const auto& [buffer, wanted] : baseline.outputs) {
    const std::vector<uint32_t>* got = find(subject.outputs, buffer);
    if (!got) return fmt::format("{} has no final contents", buffer);
    std::string difference = first_difference(buffer, *got, wanted, baseline_name);
    if (!difference.empty()) return difference;
    words += wanted.size();
  }
  return {};
}

std::shared_ptr<const diagnostics::SourceText> cuda_source(const Case& test) {
  if (!test.program.cuda_path) return nullptr;
  try {
    return diagnostics::read_source(*test.program.cuda_path);
  } catch (const diagnostics::InputError&) {
    return nullptr;  // quoted for the reader's convenience only
  }
}

std::string explain(const Case& test, const trace::Trace& subject, const trace::Trace& baseline,
                    const trace::Divergence& divergence) {
  trace::ExplainOptions options;
  auto cuda = cuda_source(test);
  options.cuda = cuda.get();
  options.ptx = test.program.module ? test.program.module->source.get() : nullptr;
  return trace::explain(subject, baseline, divergence, options);
}

void finish_pass(TestResult& result) {
  if (result.compared_events == 0) {
    return conclude(result, Verdict::kInconclusive, "nothing was compared");
  }
  result.verdict = Verdict::kPass;
}

}  // namespace

bool is_failure(Verdict verdict) {
  return verdict != Verdict::kPass && verdict != Verdict::kUnsupported &&
         verdict != Verdict::kWaived;
}

TestResult judge_expected(const Case& test, const Named& subject) {
  TestResult result = begin(test, subject, test.expect_source);
  if (const auto* refusal = std::get_if<Refusal>(&subject.outcome)) {
    conclude_refusal(result, *refusal);
    if (refusal->kind == Refusal::Kind::kFault) {
      result.fault = true;
      conclude(result, Verdict::kInconclusive, first_message(*refusal));
    }
    return result;
  }
  std::string difference =
      check_expected(test, std::get<Execution>(subject.outcome), result.compared_events);
  if (!difference.empty()) {
    conclude(result, Verdict::kMismatch, difference);
    return result;
  }
  finish_pass(result);
  return result;
}

TestResult judge_against(const Case& test, const Named& subject, const Named& baseline) {
  TestResult result = begin(test, subject, baseline.name);
  if (const auto* refusal = std::get_if<Refusal>(&baseline.outcome)) {
    result.fault = refusal->kind == Refusal::Kind::kFault;
    if (!refusal->diagnostics.empty()) {
      result.explanation = diagnostics::render(refusal->diagnostics);
    }
    const auto* own = std::get_if<Refusal>(&subject.outcome);
    if (own && own->kind == Refusal::Kind::kUnsupported && !result.fault) {
      conclude_refusal(result, *own);
    } else {
      conclude(result, Verdict::kInconclusive,
               fmt::format("{}: {}", baseline.name, first_message(*refusal)));
    }
    return result;
  }
  if (const auto* refusal = std::get_if<Refusal>(&subject.outcome)) {
    conclude_refusal(result, *refusal);
    return result;
  }

  const Execution& mine = std::get<Execution>(subject.outcome);
  const Execution& theirs = std::get<Execution>(baseline.outcome);
  bool traced = mine.trace.level != trace::Level::kOff && theirs.trace.level != trace::Level::kOff;
  if (traced) {
    trace::Comparison comparison = trace::compare(mine.trace, theirs.trace);
    result.compared_events = comparison.compared_events;
    result.order_dependent_events = comparison.order_dependent_events;
    if (comparison.divergence) {
      conclude(result, Verdict::kMismatch, comparison.divergence->what);
      result.explanation = explain(test, mine.trace, theirs.trace, *comparison.divergence);
      return result;
    }
  }
  // Where PTX leaves an order open, final buffers may differ too; the comparison of traces has
  // compared what is determined.
  if (result.order_dependent_events == 0) {
    uint64_t words = 0;
    std::string difference = check_outputs(mine, theirs, baseline.name, words);
    if (!difference.empty()) {
      conclude(result, Verdict::kMismatch, difference);
      return result;
    }
    // Without traces, or where the kernel leaves nothing that both record, the buffers are
    // compared.
    if (result.compared_events == 0) result.compared_events = words;
  }
  uint64_t words = 0;
  std::string difference = check_expected(test, mine, words);
  if (!difference.empty()) {
    result.against = test.expect_source;
    conclude(result, Verdict::kMismatch, difference);
    return result;
  }
  finish_pass(result);
  return result;
}

}  // namespace warplock::suites
