// The command as scripts see it: arguments, exit status, standard output and error.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string slurp(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Finished {
  int status = -1;
  std::string out, err;
};

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/warplock-cli-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  pid_t start(const std::vector<std::string>& arguments) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    fs::current_path(folder_);
    for (auto [fd, name] : {std::pair{1, "out"}, std::pair{2, "err"}}) {
      int file = open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(file, fd);
    }
    std::vector<char*> argv{const_cast<char*>(WARPLOCK_COMMAND)};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Finished wait(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            slurp(folder_ / "out"), slurp(folder_ / "err")};
  }
  Finished run(const std::vector<std::string>& arguments) { return wait(start(arguments)); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  /// A kernel of one thread that stores `value` to out[0].
  std::string kernel(const std::string& body) {
    return file("k.ptx",
                ".version 7.0\n.target sm_70\n.address_size 64\n"
                ".visible .entry k(.param .u64 out)\n{\n"
                "  .reg .b32 %r<8>;\n  .reg .b64 %d<4>;\n  .reg .pred %p<4>;\n"
                "  ld.param.u64 %d0, [out];\n" +
                    body + "  ret;\n}\n");
  }
  std::string launch(const std::string& expect, int threads = 1) {
    return file("launch.json",
                fmt::format("{{\"entry\": \"k\", \"grid\": [1,1,1], \"block\": [{},1,1], "
                            "\"warp_width\": 4, \"arguments\": [{{\"name\": \"out\", "
                            "\"buffer\": [0]}}]{}}}\n",
                            threads, expect));
  }

  fs::path folder_;
};

const char* const kStore5 = "  st.global.u32 [%d0], 5;\n";

TEST_F(Cli, VersionAndHelpAtEveryLevel) {
  Finished version = run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, HasSubstr("commit"));
  EXPECT_THAT(version.out, HasSubstr("LLVM 19"));
  for (std::vector<std::string> call : {std::vector<std::string>{"--help"},
                                        {"run", "--help"},
                                        {"suite", "--help"},
                                        {"suite", "kernels", "--help"},
                                        {"compile", "--help"},
                                        {"diff", "--help"},
                                        {"devices", "--help"}}) {
    EXPECT_EQ(run(call).status, 0) << call[0];
  }
}

TEST_F(Cli, WrongUsageIs2) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"frobnicate"}).status, 2);
  EXPECT_EQ(run({"run"}).status, 2);
  EXPECT_EQ(run({"run", kernel(kStore5), "--launch", launch(""), "--trace", "everything"}).status,
            2);
  EXPECT_EQ(run({"run", kernel(kStore5), "--launch", launch(""), "--on", "nobody"}).status, 2);
  EXPECT_EQ(run({"suite", "kernels", "--filter", "no-such-kernel"}).status, 2);
}

TEST_F(Cli, AnExecutorThatIsNotHereIs4) {
  Finished finished = run({"run", kernel(kStore5), "--launch", launch(""), "--on", "hardware"});
  EXPECT_EQ(finished.status, 4);
  EXPECT_THAT(finished.err, HasSubstr("hardware"));
  EXPECT_EQ(run({"run", kernel(kStore5), "--launch", launch(""), "--on", "external:none"}).status,
            4);
}

TEST_F(Cli, AgreementIs0AndJsonHasTheShapeOfTheContract) {
  Finished finished = run({"run", kernel(kStore5), "--launch",
                           launch(", \"expect\": {\"out\": [5]}"), "--on", "reference", "--json"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  json report = json::parse(finished.out);
  EXPECT_EQ(report["command"], "run");
  ASSERT_EQ(report["tests"].size(), 1u);
  EXPECT_EQ(report["tests"][0]["verdict"], "pass");
  EXPECT_EQ(report["tests"][0]["warp_width"], 4);
  EXPECT_EQ(report["outputs"]["reference"]["out"], json({5}));
}

TEST_F(Cli, WithoutExpectationTheReferenceIsComparedWithItself) {
  Finished finished =
      run({"run", kernel(kStore5), "--launch", launch(""), "--on", "reference", "--json"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_GT(json::parse(finished.out)["tests"][0]["compared_events"], 0);
}

TEST_F(Cli, AnotherResultThanExpectedIs1) {
  Finished finished = run({"run", kernel(kStore5), "--launch",
                           launch(", \"expect\": {\"out\": [6]}"), "--on", "reference"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, HasSubstr("out[0] is 5 (0x5), expect says 6 (0x6)"));
}

TEST_F(Cli, BadInputIs3WithAPlace) {
  Finished bad = run({"run", kernel("  frobnicate.u32 %r1, %r0;\n"), "--launch", launch("")});
  EXPECT_EQ(bad.status, 3);
  EXPECT_THAT(bad.err, ContainsRegex("k\\.ptx:10:[0-9]+: error: .*frobnicate"));
  Finished bad_launch = run({"run", kernel(kStore5), "--launch", file("l.json", "{\"entry\": 5}")});
  EXPECT_EQ(bad_launch.status, 3);
  EXPECT_THAT(bad_launch.err, ContainsRegex("l\\.json:1:[0-9]+: error"));
  EXPECT_EQ(run({"run", "missing.ptx", "--launch", launch("")}).status, 3);
  EXPECT_EQ(run({"diff", file("a.trace", "junk"), file("b.trace", "junk")}).status, 3);
  EXPECT_EQ(run({"compile", file("bad.cu", "this is not CUDA")}).status, 3);
}

TEST_F(Cli, AProgramThatIsWrongIs3AndNamesBothSides) {
  std::string race = "  mov.u32 %r0, %tid.x;\n  st.global.u32 [%d0], %r0;\n";
  Finished finished = run({"run", kernel(race), "--launch", launch("", 8), "--on", "reference"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, ContainsRegex("k\\.ptx:11:[0-9]+: error: .*race"));
}

TEST_F(Cli, TracesAreStoredAndDiffFindsWhereTheyPart) {
  std::string agree = launch("");
  ASSERT_EQ(
      run({"run", kernel(kStore5), "--launch", agree, "--on", "reference", "--out", "a"}).status,
      0);
  std::string left = (folder_ / "a/reference.trace").string();
  EXPECT_EQ(run({"diff", left, left}).status, 0);
  std::string text = slurp(left);
  size_t value = text.rfind("\"v\":5");
  ASSERT_NE(value, std::string::npos) << text;
  text.replace(value, 5, "\"v\":4");
  Finished finished = run({"diff", left, file("b.trace", text)});
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("st.global.u32"));
  EXPECT_THAT(finished.out, HasSubstr("warplock diff"));
}

TEST_F(Cli, CompileWritesPtxThatRuns) {
  std::string cuda =
      file("k.cu", "extern \"C\" __global__ void k(unsigned* out) { out[0] = 5; }\n");
  ASSERT_EQ(run({"compile", cuda, "-o", "k2.ptx"}).status, 0);
  EXPECT_EQ(run({"run", "k2.ptx", "--launch", launch(", \"expect\": {\"out\": [5]}")}).status, 0);
  EXPECT_EQ(run({"run", cuda, "--launch", launch(", \"expect\": {\"out\": [5]}"), "--on",
                 "reference,native"})
                .status,
            0);
}

TEST_F(Cli, DevicesSaysWhatIsHere) {
  Finished finished = run({"devices", "--json"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("\"reference\""));
  EXPECT_EQ(json::parse(finished.out)["devices"][0]["available"], true);
}

TEST_F(Cli, SuiteWritesAReport) {
  Finished finished = run({"suite", "kernels", "--filter", "vector_add", "--report", "report",
                           "--json", "--on", "reference,native"});
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  json report = json::parse(slurp(folder_ / "report/report.json"));
  EXPECT_EQ(report["command"], "suite kernels");
  EXPECT_GE(report["summary"]["tests"], 8 * 2 * 2);
  EXPECT_EQ(report["summary"]["pass"], report["summary"]["tests"]);
  for (const json& test : report["tests"]) EXPECT_GT(test["compared_events"], 0);
  EXPECT_THAT(slurp(folder_ / "report/junit.xml"), HasSubstr("failures=\"0\""));
}

/// The process that serves `executor` for the suite `parent`, or 0.
pid_t worker_of(pid_t parent, const std::string& executor) {
  for (const auto& thread : fs::directory_iterator(fmt::format("/proc/{}/task", parent))) {
    std::stringstream children(slurp(thread.path() / "children"));
    for (pid_t pid = 0; children >> pid;) {
      std::string command = slurp(fmt::format("/proc/{}/cmdline", pid));
      if (command.find(std::string("worker\0", 7) + executor) != std::string::npos) return pid;
    }
  }
  return 0;
}

size_t lines(const fs::path& path) {
  std::string text = slurp(path);
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Cli, AKilledWorkerCostsItsTestAndNothingElse) {
  pid_t suite = start({"suite", "kernels", "--filter", "s*", "--jobs", "1", "--report", "report",
                       "--on", "reference,native"});
  // A worker that is killed between two tests costs nothing, so kill until one was at work.
  fs::path journal = folder_ / "report/results.jsonl";
  int killed = 0;
  for (int i = 0; i < 3000 && slurp(journal).find("\"crash\"") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    pid_t worker = lines(journal) < 20 ? 0 : worker_of(suite, "native");
    if (worker != 0 && i % 10 == 0 && kill(worker, SIGSEGV) == 0) ++killed;
  }
  Finished finished = wait(suite);
  EXPECT_EQ(finished.status, 5) << finished.err;
  json report = json::parse(slurp(folder_ / "report/report.json"));
  int crashes = report["summary"].value("crash", 0);
  EXPECT_GE(crashes, 1);
  EXPECT_LE(crashes, killed);
  EXPECT_EQ(report["summary"]["pass"], report["summary"]["tests"].get<int>() - crashes);
  EXPECT_GT(report["summary"]["tests"], 100);
}

TEST_F(Cli, AKilledSuiteLeavesTheResultsItHad) {
  pid_t suite =
      start({"suite", "kernels", "--jobs", "1", "--report", "report", "--on", "reference,native"});
  for (int i = 0; i < 3000 && lines(folder_ / "report/results.jsonl") < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(suite, SIGKILL);
  wait(suite);
  std::stringstream journal(slurp(folder_ / "report/results.jsonl"));
  size_t complete = 0;
  for (std::string line; std::getline(journal, line) && !journal.eof();) {
    complete += json::parse(line)["verdict"] == "pass";
  }
  EXPECT_GE(complete, 20u);
}

TEST_F(Cli, AnExternalExecutorThatIsWrongIsCaughtAndLocated) {
  std::string examples = WARPLOCK_SOURCE_DIR "/executor/examples/";
  std::string definitions =
      file("executors.json", json({{"tiny",
                                    {{"command", {"python3", examples + "tiny_executor.py"}},
                                     {"levels", {"off", "memory"}}}},
                                   {"wrong",
                                    {{"command", {"python3", examples + "wrong_executor.py"}},
                                     {"levels", {"off", "memory"}}}}})
                                 .dump());
  std::string add =
      kernel("  mov.u32 %r0, 2;\n  add.u32 %r1, %r0, 3;\n  st.global.u32 [%d0], %r1;\n");
  EXPECT_EQ(run({"run", add, "--launch", launch(""), "--on", "reference,external:tiny"}).status, 0);
  Finished wrong = run({"run", add, "--launch", launch(""), "--on", "reference,external:wrong"});
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("k.ptx:12"));
}

}  // namespace
