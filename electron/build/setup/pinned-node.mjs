import { existsSync, readFileSync } from 'node:fs';
import { handOver } from './command.mjs';
import { inRoot } from './root.mjs';
import { Failure } from './say.mjs';

/** Environment variable that marks the second run of an entry script, on the pinned Node. */
const MARK = 'BRAGGBENCH_ON_PINNED_NODE';

/** Oldest major version: the sources need type stripping without a flag, node:sqlite and import.meta.dirname. */
const MIN_MAJOR = 24;

const major = Number(process.versions.node.split('.')[0]);

/**
 * Version of Node that package-lock.json pins for this platform, from its npm package. Null if there is no such package
 * for the platform, where the user's Node is needed.
 */
function pinnedBinary() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const folder = inRoot('node_modules', `node-${platform}-${process.arch}`);
  const binary = `${folder}/bin/node${process.platform === 'win32' ? '.exe' : ''}`;
  if (!existsSync(binary)) return null;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return { binary, version: `v${version}` };
}

/** Version of Node on which the entry script continues. */
export const versionToContinue = () => pinnedBinary()?.version ?? process.version;

/**
 * Install instructions for a platform without Node in the packages.
 * @param {string} platform @param {string} arch
 */
export const nodeToInstall = (platform = process.platform, arch = process.arch) =>
  `Braggbench needs Node ${MIN_MAJOR} or newer on ${platform}-${arch}, but this is ${process.version}: install it ` +
  `${platform === 'darwin' ? 'with `brew install node@24` or ' : ''}from https://nodejs.org.`;

/**
 * Path of the Node to continue with; null if this process's Node is suitable.
 * @returns {string | null}
 */
export function otherNode() {
  const pinned = pinnedBinary();
  if (process.env[MARK] || process.version === pinned?.version) return null;
  if (pinned) return pinned.binary;
  if (major >= MIN_MAJOR) return null;
  throw new Failure(nodeToInstall());
}

/**
 * Ensures that the rest of the entry script runs on the pinned Node. Returns null if it does, else the exit code of the
 * same script run on it. Call after ensurePackages().
 * @param {readonly string[]} args
 * @returns {Promise<number | null>}
 */
export async function onPinnedNode(args) {
  const other = otherNode();
  if (other === null) return null;
  return handOver(other, [process.argv[1] ?? '', ...args], { env: { ...process.env, [MARK]: '1' } });
}

/** Start-up image of the command line: see electron/build/steps/image.mjs. */
export const IMAGE = 'dist/image/cli.blob';

/**
 * Path of the Node that makes the image and starts from it, because equal versions alone do not ensure compatibility.
 */
export const imagesNode = () => pinnedBinary()?.binary ?? process.execPath;

/**
 * Starts the space for young objects at the size in MB to which Node lets it grow. Otherwise it grows from 1 MB, and a
 * short command collects garbage eight times before it ends, which is a seventh of its processor time.
 */
const YOUNG = '--min-semi-space-size=16';

/**
 * Node and flags that start the command line from its image; null if it starts without the image. A server does so,
 * because it runs for long and is measured with its page. NODE_OPTIONS may request features that an image cannot have.
 * @param {readonly string[]} args
 */
export function fromImage(args) {
  if (args[0] === 'serve' || process.env['NODE_OPTIONS'] || !existsSync(inRoot(IMAGE))) return null;
  return { node: imagesNode(), flags: [YOUNG, '--snapshot-blob', inRoot(IMAGE)] };
}
