/** Where a file is made into a database first; a new name each time, and nobody else's. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const scratchFolder = (): string =>
  path.join(tmpdir(), `braggbench-timeline-${process.pid}-${randomBytes(6).toString('hex')}`);
