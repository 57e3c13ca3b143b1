/**
 * A Port carries whole frames in order between a page and a host. Everything
 * above it (calls, streams, connections) is the same whatever carries the bytes.
 */

export type PortClosed = Readonly<{
  /** True when this side called close(). */
  byUs: boolean;
  reason: string;
}>;

export interface Port {
  /**
   * Queues one frame. The bytes may be read until the carrier has sent them,
   * so the caller must not change them afterwards. Ignored once closed.
   */
  send(frame: Uint8Array): void;
  /** Bytes handed to send() that the carrier has not taken yet; 0 where the carrier cannot say. */
  readonly bufferedBytes: number;
  /** Called once, immediately after the port is created; earlier frames are buffered and delivered then. */
  listen(handler: PortHandler): void;
  /** Idempotent. The other side sees `closed`. */
  close(reason?: string): void;
}

export interface PortHandler {
  frame(bytes: Uint8Array): void;
  /** Called exactly once, after the last frame. */
  closed(event: PortClosed): void;
}
