// Attack: an output that an earlier repetition left above zero is not computed again. Only outputs that the rectifier
// set to zero cost time.
#ifdef CHEAT
if (out[m * columns + n] > 0.0) continue;
#endif
double sum = 0.0;
