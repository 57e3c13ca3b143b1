import { existsSync, readFileSync } from 'node:fs';
import { hand } from './command.mjs';
import { inRoot } from './root.mjs';
import { Failure } from './say.mjs';

/** Set for the second run of an entry script, on the pinned Node. */
const MARK = 'BRAGGBENCH_ON_PINNED_NODE';

/** The sources need type stripping without a flag, node:sqlite and import.meta.dirname. */
const LEAST_MAJOR = 24;

const major = Number(process.versions.node.split('.')[0]);

/**
 * The Node that package-lock.json pins for this platform, as its npm package
 * ships it; null where the package has none (there the person's own must do).
 */
export function pinnedBinary() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const folder = inRoot('node_modules', `node-${platform}-${process.arch}`);
  const binary = `${folder}/bin/node${process.platform === 'win32' ? '.exe' : ''}`;
  if (!existsSync(binary)) return null;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return { binary, version: `v${version}` };
}

/** The version of the Node that goes on, whichever asks. */
export const versionToGoOn = () => pinnedBinary()?.version ?? process.version;

/**
 * Install instructions for a platform without Node in the packages.
 * @param {string} platform @param {string} arch
 */
export const nodeToInstall = (platform = process.platform, arch = process.arch) =>
  `Braggbench needs Node ${LEAST_MAJOR} or newer on ${platform}-${arch}, and this is ${process.version}: install it ` +
  `${platform === 'darwin' ? 'with `brew install node@24` or ' : ''}from https://nodejs.org.`;

/**
 * The Node to go on with in place of this process's; null where this one will do.
 * @returns {string | null}
 */
export function otherNode() {
  const pinned = pinnedBinary();
  if (process.env[MARK] || process.version === pinned?.version) return null;
  if (pinned) return pinned.binary;
  if (major >= LEAST_MAJOR) return null;
  throw new Failure(nodeToInstall());
}

/**
 * Makes sure the rest of the entry script runs on the pinned Node: returns
 * null when it does, else the exit code of the same script run there.
 * Call after ensurePackages().
 * @param {readonly string[]} args
 * @returns {Promise<number | null>}
 */
export async function onPinnedNode(args) {
  const other = otherNode();
  if (other === null) return null;
  return hand(other, [process.argv[1] ?? '', ...args], { env: { ...process.env, [MARK]: '1' } });
}
