/**
 * Measures the cost of LET scoring and of nuclear reactions, relative to the steps of the beam. A round runs each
 * configuration once, and the next round reverses the order. Other load can only increase times, so the fastest runs of
 * configurations are compared.
 */
import { capture } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { target } from './targets.mjs';

const ROUNDS = 15;

/** Scenarios, each with the variant that is measured. */
const RUNS = /** @type {const} */ ([
  ['water-150MeV', 'depth'],
  ['water-70MeV', 'window'],
]);

/** Configurations, in the order of the first round. */
const CONFIGURATIONS = /** @type {const} */ ({
  plain: [],
  scoring: ['output.let=true'],
  // Without LET scoring. Such steps are compiled separately (SliceOps).
  off: ['output.let=false'],
  reactions: ['physics.nuclear=icru63'],
  // The default configuration again, as a control for noise.
  again: [],
});
const NAMES = /** @type {readonly (keyof typeof CONFIGURATIONS)[]} */ (Object.keys(CONFIGURATIONS));

/**
 * @typedef {{ solve_s: number, products_s?: number }} RunTime
 * @typedef {Record<keyof typeof CONFIGURATIONS, RunTime>} Round
 * @typedef {{ name: string, rounds: readonly Round[] }} PhysicsCost
 */

/** @param {string} cli @param {string} scenario @param {string} variant @param {readonly string[]} set @returns {Promise<RunTime | null>} */
async function runOnce(cli, scenario, variant, set) {
  const all = [`solver.stepping=${variant === 'depth' ? 'depth' : 'path'}`, 'output.keyframes=0', ...set];
  const words = all.flatMap((one) => ['--set', one]);
  const file = inRoot(`assets/scenarios/${scenario}.json`);
  const { code, output } = await capture(process.execPath, [
    cli,
    'run',
    file,
    '--variant',
    variant,
    '--json',
    ...words,
  ]);
  if (code !== 0) return null;
  const number = (/** @type {string} */ name) => {
    const found = new RegExp(`"${name}": ([\\d.e+-]+)`).exec(output)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const [solve_s, products_s] = [number('solve_s'), number('products_s')];
  return solve_s === undefined ? null : { solve_s, ...(products_s !== undefined && { products_s }) };
}

/**
 * @param {string} cli @param {string} scenario @param {string} variant @param {readonly (keyof typeof CONFIGURATIONS)[]} order
 * @returns {Promise<Round | null>} null if one of them could not be run
 */
async function runRound(cli, scenario, variant, order) {
  /** @type {Partial<Round>} */
  const round = {};
  for (const name of order) {
    const taken = await runOnce(cli, scenario, variant, CONFIGURATIONS[name]);
    if (taken === null) return null;
    round[name] = taken;
  }
  return /** @type {Round} */ (round);
}

/** @param {string} cli @returns {Promise<readonly PhysicsCost[]>} without scenarios that could not be run */
export async function measurePhysicsCosts(cli) {
  /** @type {PhysicsCost[]} */
  const found = [];
  for (const [scenario, variant] of RUNS) {
    /** @type {Round[]} */
    const rounds = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const round = await runRound(cli, scenario, variant, i % 2 === 0 ? NAMES : NAMES.toReversed());
      if (round !== null) rounds.push(round);
    }
    if (rounds.length > 0) found.push({ name: `${scenario}, ${variant}`, rounds });
  }
  return found;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/**
 * Derives the targets from the measured rounds. Reaction products are compared with the steps of the same run, because
 * other load slows down both equally; the median over the rounds counts. For other configurations, the fastest runs are
 * compared.
 * @param {readonly PhysicsCost[]} costs
 */
export function physicsTargets(costs) {
  const percent = (/** @type {number} */ value) => `${(100 * value).toFixed(1)} %`;
  const control = (/** @type {number} */ value) => Math.abs(value) <= 0.02;
  return costs.flatMap(({ name, rounds }) => {
    const products = median(rounds.map(({ reactions }) => (reactions.products_s ?? Number.NaN) / reactions.solve_s));
    const fastest = (/** @type {keyof typeof CONFIGURATIONS} */ way) =>
      Math.min(...rounds.map((round) => round[way].solve_s));
    const beside = (/** @type {keyof typeof CONFIGURATIONS} */ way) => fastest(way) / fastest('plain') - 1;
    return [
      target(`${name}, reaction products relative to the steps`, '≤ 40 %', products, (v) => v <= 0.4, percent),
      target(
        `${name}, with LET scored, relative to the steps without`,
        '≤ 10 %',
        beside('scoring'),
        (v) => v <= 0.1,
        percent,
      ),
      target(`${name}, with LET switched off, relative to the steps without`, '±2 %', beside('off'), control, percent),
      target(`${name}, the same steps again (A/A), relative to the steps`, '±2 %', beside('again'), control, percent),
    ];
  });
}
