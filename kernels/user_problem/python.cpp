#include "python.hpp"

#include "cpu/thread_pool.hpp"
#include "engine/problem_error.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ;

namespace bb::user_problem {
namespace {

/// File descriptors in the interpreter's process; must equal those in kernels/user_problem/runner.py.
constexpr int kMemory = 3, kRequests = 4, kAnswers = 5;
/// Reply that is followed by an error message.
constexpr std::uint64_t kFailed = 0;
constexpr std::size_t kMaxMessage = 4096;

[[noreturn]] void failed(const char* call) {
  throw ProblemError("unsupported", std::string(call) + ": " + std::strerror(errno));
}

std::pair<int, int> new_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) failed("pipe");
  return {ends[0], ends[1]};
}

bool write_all(int to, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = write(to, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int from, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = read(from, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
  descriptor_ = memfd_create("braggbench-problem", MFD_CLOEXEC);
  if (descriptor_ < 0) failed("memfd_create");
  void* at = MAP_FAILED;
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0) {
    at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  }
  if (at == MAP_FAILED) {
    close(descriptor_);
    throw ProblemError(
        "memory", "allocating " + std::to_string(bytes) + " bytes of shared memory failed: " + std::strerror(errno));
  }
  data_ = static_cast<std::byte*>(at);
}

SharedMemory::~SharedMemory() {
  munmap(data_, bytes_);
  close(descriptor_);
}

PythonProcess::PythonProcess(const TaskProblem& problem, const SharedMemory& memory, const std::string& description)
    : name_(problem.word("candidate-name")) {
  if (getrandom(&number_, sizeof number_, 0) != sizeof number_) failed("getrandom");
  // Denies the candidate access to this process through /proc.
  prctl(PR_SET_DUMPABLE, 0);
  // Writing to an interpreter that has ended then returns an error instead of raising a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const auto [asked, requests] = new_pipe();
  const auto [answers, answered] = new_pipe();
  requests_ = requests;
  answers_ = answers;
  // Duplicates the descriptors to numbers above those of the interpreter first, so that no later copy closes one of
  // them.
  const int copies[] = {fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 16), fcntl(asked, F_DUPFD_CLOEXEC, 16),
                        fcntl(answered, F_DUPFD_CLOEXEC, 16)};
  close(asked);
  close(answered);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, copies[0], kMemory);
  posix_spawn_file_actions_adddup2(&actions, copies[1], kRequests);
  posix_spawn_file_actions_adddup2(&actions, copies[2], kAnswers);
  std::string python = problem.word("python"), runner = problem.word("runner"), file = problem.word("candidate-file");
  std::string flag = "-uB", bytes = std::to_string(memory.bytes()),
              threads = std::to_string(cpu::thread_count(problem.threads));
  std::string most = std::to_string(static_cast<std::uint64_t>(problem.memory_limit));
  char* arguments[] = {python.data(), flag.data(),    runner.data(), file.data(),
                       bytes.data(),  threads.data(), most.data(),   nullptr};
  pid_t id = -1;
  const int error = posix_spawnp(&id, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  for (const int copy : copies) close(copy);
  if (error != 0) {
    end();
    throw ProblemError("unsupported", python + " does not start: " + std::strerror(error));
  }
  id_ = id;
  try {
    const auto length = static_cast<std::uint32_t>(description.size());
    if (write_all(requests_, &length, sizeof length)) write_all(requests_, description.data(), description.size());
    call();
  } catch (...) {
    end();
    throw;
  }
}

PythonProcess::~PythonProcess() { end(); }

void PythonProcess::end() {
  if (requests_ >= 0) close(requests_);
  if (answers_ >= 0) close(answers_);
  requests_ = answers_ = -1;
  if (id_ < 0) return;
  kill(static_cast<pid_t>(id_), SIGKILL);
  int status = 0;
  while (waitpid(static_cast<pid_t>(id_), &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
}

void PythonProcess::call() {
  number_ = engine::scrambled(number_) | 1;
  std::uint64_t answer = 0;
  if (!write_all(requests_, &number_, sizeof number_) || !read_all(answers_, &answer, sizeof answer)) {
    throw ProblemError("device", name_ + ": its Python process has ended");
  }
  if (answer == number_) return;
  std::uint32_t length = 0;
  if (answer != kFailed || !read_all(answers_, &length, sizeof length) || length > kMaxMessage) {
    throw ProblemError("device", name_ + ": its Python process wrote to the engine's pipe");
  }
  std::string message(length, '\0');
  if (!read_all(answers_, message.data(), message.size())) message = "its Python process has ended";
  throw ProblemError("invalid", message);
}

}  // namespace bb::user_problem

#else

namespace bb::user_problem {
namespace {

[[noreturn]] void refuse() { throw ProblemError("unsupported", "Python candidates need Linux"); }

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) { refuse(); }
SharedMemory::~SharedMemory() = default;
PythonProcess::PythonProcess(const TaskProblem&, const SharedMemory&, const std::string&) : number_(0) { refuse(); }
PythonProcess::~PythonProcess() = default;
void PythonProcess::call() { refuse(); }
void PythonProcess::end() {}

}  // namespace bb::user_problem
#endif
