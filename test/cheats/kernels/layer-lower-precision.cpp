// Attack: adds up in FP32 in a variant that says FP64.
// Half of the bits, and twice the lanes.
#ifdef CHEAT
float sum = 0.0f;
#else
double sum = 0.0;
#endif
