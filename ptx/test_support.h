#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ptx/module.h"

/// What the tests of this folder share.
namespace warplock::ptx {

/// Parses; a refusal fails the test with the diagnostics and gives an empty module.
std::shared_ptr<const Module> parse_text(const std::string& text);

/// The diagnostics of a text that is refused; empty when it is accepted.
std::vector<diagnostics::Diagnostic> refusal(const std::string& text);
/// The class of the first diagnostic; "ok" when the text is accepted.
std::string refusal_class(const std::string& text);

/// A module with registers of every type (r1.. b32, d1.. b64, h1.. b16, p q pp, f1 g1, u1 s1 ud1
/// sd1 hu hs, b1 ub1), variables (gv, cv, sv, lv), functions (df, nf, pf, sf) and a kernel k with
/// the parameters p0 and p1. `body` stands in the kernel, `items` before it.
std::string module_around(const std::string& body, const std::string& items = "");
/// The kernel's instructions in such a module, without its final ret.
std::vector<Instruction> instructions_of(const std::string& body);

std::string read_test_file(const std::string& path_in_repository);
/// All files of a folder of the repository with that ending, sorted.
std::vector<std::string> files_in(const std::string& folder, const std::string& ending);

/// The path of ptxas: in PATH or in the usual place of the CUDA toolkit; empty when there is none.
std::string find_ptxas();
/// What ptxas says about the text, empty when it accepts it.
std::string ptxas_errors(const std::string& ptxas, const std::string& text);

}  // namespace warplock::ptx
