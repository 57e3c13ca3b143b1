import { spawnSync } from 'node:child_process';
import { root } from './root.mjs';

/** The commit that is checked out, which measurements of a packed program name; null without git or a checkout. */
export function checkedOut() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
