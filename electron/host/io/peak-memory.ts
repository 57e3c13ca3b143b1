/** Peak memory of this process. */
import { readFileSync } from 'node:fs';

/**
 * Peak resident memory of this process, in bytes. On Linux it is read from the kernel (VmHWM). `maxRSS` of getrusage
 * starts with the parent's size there, so a small program started by a large one would seem as large.
 */
export function peakMemory_bytes(): number {
  const own = process.platform === 'linux' ? highWaterMark_bytes() : null;
  return own ?? process.resourceUsage().maxRSS * 1024;
}

function highWaterMark_bytes(): number | null {
  try {
    const kB = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return kB === undefined ? null : Number(kB) * 1024;
  } catch {
    return null; // a container may hide /proc
  }
}
