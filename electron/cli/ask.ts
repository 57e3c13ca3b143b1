/** Questions to someone at a terminal. */
import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

/** False without an interactive user; the error for scripts names the flag to use instead. */
export function canAsk(terminal: Terminal): boolean {
  return process.stdin.isTTY === true && terminal.isLive;
}

/** True for y or yes. */
export async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}
