// Attack: adds up in FP32 but claims FP64. FP32 has half of the bits, and twice the SIMD lanes.
#ifdef CHEAT
float sum = 0.0f;
#else
double sum = 0.0;
#endif
