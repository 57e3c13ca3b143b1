/**
 * What scoring LET and following reactions cost beside the steps of the beam. A round runs each way once, one after
 * the other, and a ratio is of one run or one round: what else the machine does is mostly in both.
 */
import { capture } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { target } from './targets.mjs';

const ROUNDS = 5;

/** Scenarios beside the variant that they are taken with. */
const RUNS = /** @type {const} */ ([
  ['water-150MeV', 'depth'],
  ['water-70MeV', 'window'],
]);

const WAYS = /** @type {const} */ ({
  plain: [],
  reactions: ['physics.nuclear=icru63'],
  scoring: ['output.let=true'],
  // Steps without scoring are compiled without it (SliceOps): this is what two runs of the same code differ by.
  off: ['output.let=false'],
});

/**
 * @typedef {{ solve_s: number, products_s?: number }} Taken
 * @typedef {Record<keyof typeof WAYS, Taken>} Round
 * @typedef {{ name: string, rounds: readonly Round[] }} PhysicsCost
 */

/** @param {string} cli @param {string} scenario @param {string} variant @param {readonly string[]} set @returns {Promise<Taken | null>} */
async function once(cli, scenario, variant, set) {
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

/** @param {string} cli @returns {Promise<readonly PhysicsCost[]>} without those that could not be run */
export async function measurePhysicsCosts(cli) {
  /** @type {PhysicsCost[]} */
  const found = [];
  for (const [scenario, variant] of RUNS) {
    /** @type {Round[]} */
    const rounds = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const [plain, reactions, scoring, off] = [
        await once(cli, scenario, variant, WAYS.plain),
        await once(cli, scenario, variant, WAYS.reactions),
        await once(cli, scenario, variant, WAYS.scoring),
        await once(cli, scenario, variant, WAYS.off),
      ];
      if (plain !== null && reactions !== null && scoring !== null && off !== null) {
        rounds.push({ plain, reactions, scoring, off });
      }
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
 * Medians over the rounds: products beside the steps of the same run, which other programs slow down alike; scoring beside
 * the steps of the run before it.
 * @param {readonly PhysicsCost[]} costs
 */
export function physicsTargets(costs) {
  const percent = (/** @type {number} */ value) => `${(100 * value).toFixed(1)} %`;
  return costs.flatMap(({ name, rounds }) => {
    const products = median(rounds.map(({ reactions }) => (reactions.products_s ?? Number.NaN) / reactions.solve_s));
    const scored = median(rounds.map(({ plain, scoring }) => scoring.solve_s / plain.solve_s - 1));
    const off = median(rounds.map(({ plain, off: without }) => without.solve_s / plain.solve_s - 1));
    return [
      target(`${name}, products of reactions, of its steps`, '≤ 40 %', products, (v) => v <= 0.4, percent),
      target(`${name}, scoring LET, of the steps without`, '≤ 10 %', scored, (v) => v <= 0.1, percent),
      target(
        `${name}, scoring LET where it is off, of the steps without`,
        '±2 %',
        off,
        (v) => Math.abs(v) <= 0.02,
        percent,
      ),
    ];
  });
}
