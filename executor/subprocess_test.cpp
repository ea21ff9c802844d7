#include "executor/subprocess.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplock::executor {
namespace {

using testing::HasSubstr;
using Received = Subprocess::Received;

SubprocessOptions shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, 0};
}

/// Everything until the output's end.
std::string read_all(Subprocess& process, double seconds = 60) {
  std::string text;
  Deadline deadline = deadline_after(seconds);
  while (process.receive(text, deadline) == Received::kData) {
  }
  return text;
}

size_t open_files() {
  size_t count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

bool has_children() {
  return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

/// Running, and not merely waiting for somebody to take note of its death.
bool is_running(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return (stat >> number >> name >> state) && state != "Z" && state != "X";
}

bool ends_within(pid_t pid, double seconds) {
  Deadline deadline = deadline_after(seconds);
  while (is_running(pid)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(Subprocess, ExchangesText) {
  Subprocess process({{"cat"}, 0});
  process.send("hello ");
  process.send("world\n");
  std::string text;
  while (text.size() < 12) ASSERT_EQ(process.receive(text, deadline_after(60)), Received::kData);
  EXPECT_EQ(text, "hello world\n");
}

// Both pipes are full at some time here: whoever only writes, or only reads, is stuck for ever.
TEST(Subprocess, WritesAndReadsAtTheSameTime) {
  Subprocess process({{"cat"}, 0});
  std::string sent(size_t{32} << 20, 'x');
  process.send(sent);
  std::string text;
  while (text.size() < sent.size()) {
    ASSERT_EQ(process.receive(text, deadline_after(60)), Received::kData);
  }
  EXPECT_TRUE(text == sent);
}

TEST(Subprocess, TellsHowItEnded) {
  Subprocess status(shell("exit 3"));
  read_all(status);
  EXPECT_EQ(describe(status.stop(60)), "exited with status 3");
  EXPECT_EQ(describe(status.stop(0)), "exited with status 3");
  Subprocess signalled(shell("kill -SEGV $$"));
  read_all(signalled);
  EXPECT_EQ(describe(signalled.stop(60)), "was killed by SIGSEGV");
  Subprocess sleeping(shell("exec sleep 1000"));
  EXPECT_EQ(sleeping.stop(0).kind, ProcessEnd::Kind::kKilledByUs);
}

TEST(Subprocess, KeepsTheDeadline) {
  Subprocess process(shell("exec sleep 1000"));
  std::string text;
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(process.receive(text, deadline_after(0.05)), Received::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(process.receive(text, deadline_after(-1)), Received::kTimeout);
}

TEST(Subprocess, KeepsTheDeadlineWhateverStandardErrorSays) {
  Subprocess process(shell("yes >&2"));
  std::string text;
  EXPECT_EQ(process.receive(text, deadline_after(0.2)), Received::kTimeout);
  EXPECT_LE(process.error_tail().size(), 4096u);
}

TEST(Subprocess, KeepsTheEndOfStandardError) {
  Subprocess process(shell("seq 100000 >&2; echo the end >&2"));
  EXPECT_EQ(read_all(process), "");
  process.stop(60);
  EXPECT_LE(process.error_tail().size(), 4096u);
  EXPECT_THAT(last_lines(process.error_tail()), testing::EndsWith("99999 | 100000 | the end"));
}

TEST(LastLines, ArePrintable) {
  EXPECT_EQ(last_lines("a\x1b[31m\r\n\n\xff\tb\n"), "a?[31m  | ? b");
  EXPECT_EQ(last_lines(""), "");
}

TEST(Subprocess, SurvivesAChildThatDoesNotRead) {
  Subprocess process(shell("exec 0<&-; echo closed; exec sleep 1000"));
  std::string text;
  ASSERT_EQ(process.receive(text, deadline_after(60)), Received::kData);
  process.send(std::string(1 << 20, 'x'));  // raises SIGPIPE, which must not end the test
  EXPECT_EQ(process.receive(text, deadline_after(0.1)), Received::kTimeout);
}

TEST(Subprocess, SaysWhyItCannotBeStarted) {
  auto why = [](std::vector<std::string> command) -> std::string {
    try {
      Subprocess process({std::move(command), 0});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "it started";
  };
  EXPECT_THAT(why({"/nonexistent/program"}), HasSubstr("No such file or directory"));
  EXPECT_THAT(why({"/etc"}), HasSubstr("Permission denied"));
  EXPECT_THAT(why({}), HasSubstr("empty"));
  EXPECT_FALSE(has_children());
}

TEST(WhyNotStartable, KnowsWhatCanBeStarted) {
  EXPECT_EQ(why_not_startable("sh"), "");
  EXPECT_EQ(why_not_startable("/bin/sh"), "");
  EXPECT_THAT(why_not_startable("no-such-program-anywhere"), HasSubstr("PATH"));
  EXPECT_THAT(why_not_startable("./no-such-file"), HasSubstr("no file"));
  EXPECT_THAT(why_not_startable("/etc/passwd"), HasSubstr("not an executable"));
  EXPECT_THAT(why_not_startable("/etc/"), HasSubstr("not an executable"));
}

TEST(Subprocess, LeavesNeitherFilesNorZombies) {
  { Subprocess first(shell("exit 0")); }  // whatever is made once is made now
  size_t files = open_files();
  for (int i = 0; i < 20; ++i) {
    Subprocess dead(shell("exit 1"));
    Subprocess alive(shell("exec sleep 1000"));
    read_all(dead);
  }
  EXPECT_EQ(open_files(), files);
  EXPECT_FALSE(has_children());
}

TEST(Subprocess, KillsWhatItsChildStarted) {
  Subprocess process(shell("sleep 1000 & echo $!; wait"));
  std::string text;
  while (text.find('\n') == std::string::npos) {
    ASSERT_EQ(process.receive(text, deadline_after(60)), Received::kData);
  }
  pid_t grandchild = std::stoi(text);
  EXPECT_TRUE(is_running(grandchild));
  process.stop(0);
  EXPECT_TRUE(ends_within(grandchild, 20));
}

TEST(Subprocess, HandsNoOtherFileOn) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // without close-on-exec, as a library might
  Subprocess process(shell("ls /proc/self/fd"));
  // 0, 1, 2, and the folder that ls reads.
  EXPECT_EQ(read_all(process), "0\n1\n2\n3\n");
  close(ends[0]);
  close(ends[1]);
}

TEST(Subprocess, OutlivesTheThreadThatStartedIt) {
  std::unique_ptr<Subprocess> process;
  std::thread([&] {
    process = std::make_unique<Subprocess>(SubprocessOptions{{"cat"}, 0});
  }).join();
  std::string text;
  EXPECT_EQ(process->receive(text, deadline_after(0.1)), Received::kTimeout);
  process->send("still there\n");
  EXPECT_EQ(process->receive(text, deadline_after(60)), Received::kData);
}

TEST(Subprocess, StartsFromManyThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(8);
  for (size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([&texts, i] {
      for (int repeat = 0; repeat < 10; ++repeat) {
        Subprocess process(shell("echo " + std::to_string(i)));
        texts[i] += read_all(process);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string wanted;
    for (int repeat = 0; repeat < 10; ++repeat) wanted += std::to_string(i) + "\n";
    EXPECT_EQ(texts[i], wanted);
  }
}

TEST(Subprocess, DiesWithUs) {
  auto parent =
      std::make_unique<Subprocess>(SubprocessOptions{{WARPLOCK_TEST_WORKER, "--parent"}, 0});
  std::string text;
  while (text.find('\n') == std::string::npos) {
    ASSERT_EQ(parent->receive(text, deadline_after(60)), Received::kData);
  }
  pid_t grandchild = std::stoi(text);
  EXPECT_TRUE(is_running(grandchild));
  // The grandchild has a process group of its own, so only its parent's death can end it.
  parent.reset();
  EXPECT_TRUE(ends_within(grandchild, 20));
  kill(grandchild, SIGKILL);
}

TEST(Subprocess, LimitsMemory) {
  Subprocess process({{"/bin/sh", "-c", "ulimit -v"}, uint64_t{512} << 20});
  EXPECT_EQ(read_all(process), "524288\n");
}

}  // namespace
}  // namespace warplock::executor
