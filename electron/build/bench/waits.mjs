/** Measures latencies that a user sees, in a separate program. Its rows are added to the targets. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInTerminal } from '../setup/command.mjs';
import { callerFolder, inRoot } from '../setup/root.mjs';
import { printLine } from '../setup/say.mjs';

/**
 * Separates `--smatrix FOLDER`, `--only PARTS` and `--waits` from the other arguments.
 * @param {readonly string[]} args
 */
export function waitsArguments(args) {
  /** @type {string[]} */
  const own = [];
  /** @type {string[]} */
  const others = [];
  let alone = false;
  for (let i = 0; i < args.length; i += 1) {
    const [arg, value] = [args[i] ?? '', args[i + 1]];
    if (arg === '--waits') alone = true;
    else if ((arg === '--smatrix' || arg === '--only') && value !== undefined) {
      own.push(arg, arg === '--smatrix' ? path.resolve(callerFolder, value) : value);
      i += 1;
    } else others.push(arg);
  }
  return { own, others, alone };
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<import('./targets.mjs').Target[]>} empty if it failed
 */
export async function measureWaits(args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-waits-'));
  try {
    const out = path.join(folder, 'rows.json');
    printLine('\nLatencies that users see');
    const code = await runInTerminal(process.execPath, [inRoot('test/bench/waits/main.ts'), '--out', out, ...args]);
    return code === 0 ? JSON.parse(readFileSync(out, 'utf8')).rows : [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
