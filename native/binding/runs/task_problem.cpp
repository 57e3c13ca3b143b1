#include "task_problem.hpp"

#include <string>

namespace bb::binding {

engine::TaskProblem read_task(const Fields& f) {
  engine::TaskProblem p;
  p.workload = f.text("workload");
  p.bench = f.text("bench");
  p.variant = f.text("variant");
  if (f.has("device")) p.device = f.text("device");
  p.threads = f.integer("threads");
  p.memory_limit = f.number("memory_limit_bytes");
  p.seed = static_cast<std::uint64_t>(f.number("seed"));
  const Fields numbers = f.child("numbers"), words = f.child("words"), switches = f.child("switches");
  for (const std::string& name : numbers.names()) p.numbers.emplace(name, numbers.number(name.c_str()));
  for (const std::string& name : words.names()) p.words.emplace(name, words.text(name.c_str()));
  for (const std::string& name : switches.names()) p.switches.emplace(name, switches.flag(name.c_str()));
  return p;
}

}  // namespace bb::binding
