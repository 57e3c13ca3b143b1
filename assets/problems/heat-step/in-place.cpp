// A step of the heat equation over its own neighbours: left and above are already of the next step.
void run(float* u, int height, int width) {
  for (std::size_t y = 1; y + 1 < static_cast<std::size_t>(height); ++y) {
    for (int x = 1; x < width - 1; ++x) {
      const std::size_t at = y * width + x;
      u[at] += 0.125f * (u[at - 1] + u[at + 1] + u[at - width] + u[at + width] - 4.0f * u[at]);
    }
  }
}
