#include "support/process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "support/temp_dir.hpp"

extern char** environ;

namespace walspout::test {
namespace {

// What the child needs, made before fork(): afterwards only async-signal-safe calls are allowed.
struct Prepared {
  std::vector<std::string> env_text;
  std::vector<char*> argv, envp;
  bool change_user = false;
  uid_t uid = 0;
  gid_t gid = 0;
};

Prepared prepare(const Command& command) {
  Prepared p;
  for (const auto& arg : command.argv) p.argv.push_back(const_cast<char*>(arg.c_str()));
  p.argv.push_back(nullptr);
  for (char** e = environ; *e; ++e) {
    bool replaced = false;
    for (const auto& [name, value] : command.env)
      replaced |= std::strncmp(*e, (name + "=").c_str(), name.size() + 1) == 0;
    if (!replaced) p.env_text.emplace_back(*e);
  }
  for (const auto& [name, value] : command.env)
    p.env_text.emplace_back(name).append("=").append(value);
  for (auto& text : p.env_text) p.envp.push_back(text.data());
  p.envp.push_back(nullptr);
  if (!command.user.empty()) {
    const passwd* user = getpwnam(command.user.c_str());
    if (!user) throw std::runtime_error("no user " + command.user);
    p.change_user = true;
    p.uid = user->pw_uid;
    p.gid = user->pw_gid;
  }
  return p;
}

int open_input(const std::string& text) {
  if (text.empty()) return open("/dev/null", O_RDONLY | O_CLOEXEC);
  // An unlinked file, not a pipe: nobody has to feed it.
  char path[] = "/tmp/wsp-in.XXXXXX";
  const int fd = mkostemp(path, O_CLOEXEC);
  if (fd < 0) throw std::runtime_error("mkostemp failed");
  unlink(path);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n <= 0) throw std::runtime_error("cannot write the input of a child");
    done += static_cast<std::size_t>(n);
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

[[noreturn]] void become(const Command& command, Prepared& p, pid_t parent, int in, int out) {
  if (p.change_user && (setgroups(1, &p.gid) || setgid(p.gid) || setuid(p.uid))) _exit(126);
  // After the change of user, which clears it. exec keeps it.
  prctl(PR_SET_PDEATHSIG, command.death_signal);
  if (getppid() != parent) _exit(126);
  if (!command.directory.empty() && chdir(command.directory.c_str())) _exit(126);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  execvpe(p.argv[0], p.argv.data(), p.envp.data());
  _exit(127);
}

}  // namespace

Process::Process(const Command& command, const std::string& log) {
  Prepared prepared = prepare(command);
  const int in = open_input(command.input);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (in < 0 || out < 0) throw std::runtime_error("cannot open " + log);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(command, prepared, parent, in, out);
  close(in);
  close(out);
  if (pid_ < 0) throw std::runtime_error("fork failed");
}

Process::~Process() {
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
}

void Process::reap(int status) {
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool Process::running() {
  if (status_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) reap(status);
  return !status_;
}

void Process::send(int signal) {
  if (running()) ::kill(pid_, signal);
}

std::optional<int> Process::wait(Seconds timeout) {
  eventually(timeout, [&] { return !running(); });
  return status_;
}

Finished run_to_end(const Command& command, Seconds timeout) {
  TempDir dir;
  Process process(command, dir / "out");
  const auto status = process.wait(timeout);
  std::string output = read_file(dir / "out");
  if (!status) throw std::runtime_error(command.argv[0] + " does not end: " + output);
  return {*status, std::move(output)};
}

}  // namespace walspout::test
