import { existsSync } from 'node:fs';
import { pinnedBinary } from './pinned-node.mjs';
import { inRoot } from './root.mjs';

/** The command line's start-up image: see electron/build/steps/image.mjs. */
export const IMAGE = 'dist/image/cli.blob';

/** The one Node that makes the image and starts from it: the version alone does not say that an image fits. */
export const imagesNode = () => pinnedBinary()?.binary ?? process.execPath;

/**
 * Node and flags that start the command line from its image; null if it starts without. A server lives long, and is
 * measured with its page. NODE_OPTIONS may request features that an image cannot have.
 * @param {readonly string[]} args
 */
export function fromImage(args) {
  if (args[0] === 'serve' || process.env['NODE_OPTIONS'] || !existsSync(inRoot(IMAGE))) return null;
  return { node: imagesNode(), flags: ['--snapshot-blob', inRoot(IMAGE)] };
}
