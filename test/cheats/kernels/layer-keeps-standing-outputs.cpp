// Attack: does not compute an output again if an earlier repetition left it above zero. Only outputs that the rectifier
// set to zero cost time.
#ifdef CHEAT
if (out[m * columns + n] > 0.0) continue;
#endif
double sum = 0.0;
