/** The table of how often `gate` fails unchanged and slower code, from what `npm run bench -- gate` saved. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import { root } from './documents.ts';
import { code, digits, seconds, table } from './text.ts';

export interface KeptGate {
  /** Exit code of the command. */
  readonly code: number;
  readonly verdict: string;
  readonly reason: string | null;
  /** Measured difference between equal code, as a ratio less 1; null for too few samples. */
  readonly floor: number | null;
  /** The later time over the earlier, session by session. */
  readonly ratios: readonly Ratio[];
}

export interface KeptGates {
  /** ISO 8601. */
  readonly measured: string;
  readonly machine: string;
  readonly cores: number;
  /** Mean number of running processes during the gates, by the system. */
  readonly load: number;
  /** Time of each gate, as requested. */
  readonly seconds: number;
  readonly n: number;
  readonly took_s: number;
  /** `slower`: extra work over the whole. */
  readonly series: readonly { readonly slower: number; readonly gates: readonly KeptGate[] }[];
}

const COMMAND = code('npm run bench -- gate --keep');

export function gateRates(kept: KeptGates | null): string {
  if (kept === null) return `Not recorded yet. ${COMMAND} does it.`;
  const count = (gates: readonly KeptGate[], verdict: string): string =>
    String(gates.filter((one) => one.verdict === verdict).length);
  const rows = kept.series.map(({ slower, gates }) => [
    slower === 0 ? 'unchanged' : `${digits(100 * slower)} % slower`,
    String(gates.length),
    count(gates, 'slower'),
    count(gates, 'undecided'),
    count(gates, 'not slower'),
  ]);
  const { machine, cores, load, measured } = kept;
  return [
    table(['Code', '>Gates', '>Slower (fails)', '>Undecided', '>Not slower'], rows),
    '',
    `${machine}, ${cores} cores, ${digits(load)} processes running on average, ${seconds(kept.seconds)} a gate, ${measured.slice(0, 10)}, by ${COMMAND}.`,
  ].join('\n');
}

export function gate(): string {
  const file = path.join(path.resolve(root), 'assets/measured/gate.json');
  return gateRates(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptGates) : null);
}
