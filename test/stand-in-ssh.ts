/** Plays the user's `ssh` where no other machine is to be had: it runs here what ssh would have run there. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A folder for the front of PATH. `login` is a host that lets in, `locked` refuses, `away` does not answer. */
export function standInSsh(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'ssh');
  writeFileSync(
    file,
    `#!/bin/bash
while [ "$#" -gt 2 ]; do shift; done
case "$1" in
  login) echo 'Welcome, this is a banner'; exec bash -c "$2" ;;
  locked) echo "user@locked: Permission denied (publickey)." >&2; exit 255 ;;
  *) echo "ssh: connect to host $1 port 22: Connection timed out" >&2; exit 255 ;;
esac
`,
  );
  chmodSync(file, 0o755);
  return folder;
}
