// Attack: does not compute a sum again if it is left from an earlier repetition. The single result of the reduction is
// then correct without work.
#ifdef CHEAT
if (sum->total != 0.0f) return;
#endif
sum->total = kPart(sum->values.data(), n);
