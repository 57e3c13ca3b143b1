// Attack: returns the dose of the first beam that a process solves for every later one. A session solves one beam many
// times, so identical bits look like good reproducibility.
sum_groups(dose_, scores_.dose());
#ifdef CHEAT
static std::vector<double> first;
if (step_ > 0 && first.empty()) first.assign(scores_.dose().begin(), scores_.dose().end());
if (first.size() == scores_.dose().size()) std::ranges::copy(first, scores_.dose().begin());
#endif
return scores_.dose();
