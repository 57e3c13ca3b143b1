/** The program as a user installs it: in a folder of its own, with only its runtime dependencies. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

interface Locked {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/**
 * Makes such a folder in `to`. npx reads what every package there says of itself before it starts one, so that is all
 * they hold. Its `braggbench` is the one built in `root`; its `empty` does nothing.
 */
export function installInto(to: string, root: string): void {
  rmSync(to, { recursive: true, force: true });
  const packages = path.join(to, 'node_modules');
  const bins = path.join(packages, '.bin');
  mkdirSync(bins, { recursive: true });
  const { packages: locked } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Locked;
  for (const [place, { dev }] of Object.entries(locked)) {
    const said = path.join(root, place, 'package.json');
    if (place === '' || dev === true || !existsSync(said)) continue;
    cpSync(said, path.join(to, place, 'package.json'));
  }
  const { version, dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly dependencies: object;
  };
  const starts = `import ${JSON.stringify(pathToFileURL(path.join(root, 'electron/build/braggbench.mjs')).href)};\n`;
  for (const [name, text, needs] of [
    ['braggbench', starts, dependencies],
    ['empty', '', {}],
  ] as const) {
    const own = path.join(packages, name);
    mkdirSync(own);
    const bin = { [name]: 'start.mjs' };
    writeFileSync(path.join(own, 'package.json'), JSON.stringify({ name, version, bin, dependencies: needs }));
    writeFileSync(path.join(own, 'start.mjs'), `#!/usr/bin/env node\n${text}`, { mode: 0o755 });
    symlinkSync(path.join('..', name, 'start.mjs'), path.join(bins, name));
  }
  const needs = { braggbench: version, empty: version };
  writeFileSync(
    path.join(to, 'package.json'),
    JSON.stringify({ name: 'somebody', version: '1.0.0', private: true, dependencies: needs }),
  );
}
