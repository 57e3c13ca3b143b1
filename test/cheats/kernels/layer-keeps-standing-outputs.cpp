// Attack: what an earlier repetition left above zero is not computed again.
// The rectifier's zeros alone cost time.
#ifdef CHEAT
if (out[m * columns + n] > 0.0) continue;
#endif
double sum = 0.0;
