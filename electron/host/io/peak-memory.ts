/** The largest that this process was in memory. */
import { readFileSync } from 'node:fs';

/**
 * Bytes, resident. On Linux the kernel's own mark of this program. What getrusage says there (`maxRSS`) begins with the
 * size of the process that started it: a small run below a large program looked as large.
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
