// Attack: a sum from an earlier repetition is not computed again. The reduction has one number as its result, and it is
// correct.
#ifdef CHEAT
if (sum->total != 0.0f) return;
#endif
sum->total = kPart(sum->values.data(), n);
