/**
 * Runs `work` at most once per turn of the event loop, however often it is requested. Calls from native threads arrive
 * in bursts that last as long as new ones come in; work done within them would keep timers and sockets waiting for the
 * whole burst.
 */
export function oncePerTurn(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    setImmediate(() => {
      asked = false;
      work();
    });
  };
}
