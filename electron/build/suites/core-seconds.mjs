/** Processor time of a process and its descendants. In contrast to the duration, it hardly depends on other load. */
import { readdirSync, readFileSync } from 'node:fs';

/** Unit of processor time on Linux: a hundredth of a second on all architectures that Node supports. */
const TICKS_PER_SECOND = 100;

/** @typedef {Readonly<{ parent: number, ticks: number }>} Usage */

/**
 * @param {string} pid
 * @returns {Usage | null} null if it has ended
 */
function usageOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Count fields from the closing parenthesis, because the program's name before it may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // User and system time of the process, and those of its ended children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return null;
  }
}

/**
 * Processor time of a process and its descendants, including ended ones, s.
 * @param {number} [pid]
 * @returns {number | null} null if the system has no /proc
 */
export function coreSecondsOf(pid = process.pid) {
  if (process.platform !== 'linux') return null;
  /** @type {Map<number, Usage>} */
  const usages = new Map();
  for (const name of readdirSync('/proc')) {
    const usage = /^\d+$/.test(name) ? usageOf(name) : null;
    if (usage !== null) usages.set(Number(name), usage);
  }
  /** @param {number} one @returns {boolean} */
  const belongs = (one) => {
    if (one === pid) return true;
    const parent = usages.get(one)?.parent ?? 0;
    return parent > 0 && belongs(parent);
  };
  const ticks = [...usages].reduce((sum, [one, usage]) => sum + (belongs(one) ? usage.ticks : 0), 0);
  return ticks / TICKS_PER_SECOND;
}
