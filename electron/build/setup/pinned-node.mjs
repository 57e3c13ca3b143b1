import { existsSync, readFileSync } from 'node:fs';
import { runInTerminal } from './command.mjs';
import { inRoot } from './root.mjs';
import { Failure } from './say.mjs';

/** Environment variable that is set when an entry script runs again on the pinned Node. */
const MARK = 'BRAGGBENCH_ON_PINNED_NODE';

/**
 * Oldest supported major version. The sources use type stripping without a flag, node:sqlite and import.meta.dirname.
 */
const MIN_MAJOR = 24;

const major = Number(process.versions.node.split('.')[0]);

/**
 * Node binary in the npm package that package-lock.json pins for this platform, and its version. Null if the platform
 * has no such package, so that the user's Node is used.
 */
function pinnedBinary() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const folder = inRoot('node_modules', `node-${platform}-${process.arch}`);
  const binary = `${folder}/bin/node${process.platform === 'win32' ? '.exe' : ''}`;
  if (!existsSync(binary)) return null;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return { binary, version: `v${version}` };
}

/** Version of the Node on which entry scripts continue. */
export const entryNodeVersion = () => pinnedBinary()?.version ?? process.version;

/**
 * Instructions to install Node, for platforms without a pinned one.
 * @param {string} platform @param {string} arch
 */
export const nodeInstallText = (platform = process.platform, arch = process.arch) =>
  `Braggbench needs Node ${MIN_MAJOR} or newer on ${platform}-${arch}, but this is ${process.version}: install it ` +
  `${platform === 'darwin' ? 'with `brew install node@24` or ' : ''}from https://nodejs.org.`;

/**
 * Path of the Node on which to continue; null to continue in this process.
 * @returns {string | null}
 */
export function nodeForEntry() {
  const pinned = pinnedBinary();
  if (process.env[MARK] || process.version === pinned?.version) return null;
  if (pinned) return pinned.binary;
  if (major >= MIN_MAJOR) return null;
  throw new Failure(nodeInstallText());
}

/**
 * Runs the entry script again if this process is not the pinned Node, and returns the exit code. Returns null if it is.
 * Must be called after ensurePackages().
 * @param {readonly string[]} args
 * @returns {Promise<number | null>}
 */
export async function rerunOnPinnedNode(args) {
  const other = nodeForEntry();
  if (other === null) return null;
  return runInTerminal(other, [process.argv[1] ?? '', ...args], { env: { ...process.env, [MARK]: '1' } });
}

/** Start-up snapshot of the command line, created by electron/build/steps/image.mjs. */
export const IMAGE = 'dist/image/cli.blob';

/**
 * Path of the Node that creates and uses the snapshot. It must be the same binary, because equal versions do not ensure
 * compatibility.
 */
export const snapshotNode = () => pinnedBinary()?.binary ?? process.execPath;

/**
 * Initial size of the heap for young objects, MB. It would otherwise grow from 1 MB to this size. A short command would
 * then collect garbage eight times, which is a seventh of its processor time.
 */
const YOUNG_HEAP_FLAG = '--min-semi-space-size=16';

/**
 * Command that starts the command line from its snapshot; null to start without it. Servers do, because they run for
 * long. NODE_OPTIONS may request features that snapshots do not support, so it also prevents using the snapshot.
 * @param {readonly string[]} args
 */
export function snapshotCommand(args) {
  if (args[0] === 'serve' || process.env['NODE_OPTIONS'] || !existsSync(inRoot(IMAGE))) return null;
  return { node: snapshotNode(), flags: [YOUNG_HEAP_FLAG, '--snapshot-blob', inRoot(IMAGE)] };
}
