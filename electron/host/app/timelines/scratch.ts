/** A unique temporary folder for converting a file to a database. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const scratchFolder = (): string =>
  path.join(tmpdir(), `braggbench-timeline-${process.pid}-${randomBytes(6).toString('hex')}`);
