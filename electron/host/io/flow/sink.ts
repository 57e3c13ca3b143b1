/** Receiver of a source's frames. */
export interface Sink<F> {
  /**
   * Offers a frame. On a `latest` stream `make` is called when the frame is
   * really sent, so that nothing is reduced that nobody sees; on a `lossless`
   * one at once.
   */
  offer(make: () => F): void;
  /** Nothing more will come; frames offered before are still sent. */
  end(error?: unknown): void;
}
