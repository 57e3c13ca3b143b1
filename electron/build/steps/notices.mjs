/** Collects the licence notices of all third-party packages in a bundle, as their licences require. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, root } from '../setup/root.mjs';

/** Name of the file with notices, which every folder of bundles contains. */
export const NOTICES = 'third-party-notices.txt';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * Packages that consist of one file, bundled from the dependencies of another package. The other package is installed
 * only for packaging.
 */
const BUNDLED_FROM = new Map([['node_modules/plotly.js-cartesian-dist-min', 'node_modules/plotly.js']]);
/** Notices of libraries inside a package that does not contain their notices itself. */
const CONTAINS = new Map([['node_modules/dcmjs-codecs', 'electron/build/steps/dcmjs-codecs-notices.txt']]);
/**
 * Dependencies without a licence file that are not part of such a bundled file, because they are WebGL code or tools.
 */
const NOT_BUNDLED = new Set(['weak-map', 'glslify-deps']);

/**
 * Collects the folders of all installed dependencies of a package, including indirect ones.
 * @param {string} folder
 * @param {Set<string>} found
 */
function collectDependencies(folder, found = new Set()) {
  const file = inRoot(folder, 'package.json');
  if (!existsSync(file)) return found;
  for (const name of Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {})) {
    const inner = [`${folder}/node_modules/${name}`, `node_modules/${name}`].find((one) => existsSync(inRoot(one)));
    if (inner === undefined || found.has(inner) || NOT_BUNDLED.has(name)) continue;
    found.add(inner);
    collectDependencies(inner, found);
  }
  return found;
}

/**
 * Folder of the package that contains a module, relative to the root; null for a module of this program.
 * @param {string} module path of a file, from the root or absolute
 */
function packageFolder(module) {
  const file = path.relative(root, path.resolve(root, module.replace(/^\0+/, '').replace(/\?.*$/, '')));
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.split(path.sep).join('/'));
  return found === null || file.startsWith('..') ? null : (found[1] ?? null);
}

/**
 * Text of the licence file of a package; without such a file, the MIT licence with the author's name.
 * @param {string} folder
 * @param {{ name: string, license?: unknown, author?: unknown, contributors?: unknown }} about
 */
function licenceText(folder, about) {
  const files = readdirSync(inRoot(folder))
    .filter((name) => LICENCE_FILE.test(name))
    .sort();
  if (files.length > 0) return files.map((name) => readFileSync(inRoot(folder, name), 'utf8').trim()).join('\n\n');
  const author = /** @type {{ name?: string } | string | undefined} */ (about.author);
  const name = typeof author === 'string' ? author : author?.name;
  const readme = readdirSync(inRoot(folder)).find((file) => /^readme/i.test(file));
  const text = readme === undefined ? '' : readFileSync(inRoot(folder, readme), 'utf8');
  const section = /^#{1,6}\s*licen[cs]e[^\n]*\n([\s\S]*?)(?=^#{1,6}\s|(?![\s\S]))/im.exec(text)?.[1]?.trim();
  if (about.license !== 'MIT')
    throw new Error(`${about.name} (${about.license}) has no licence file: its notice is missing`);
  const [, ...mit] = readFileSync(inRoot('LICENSE'), 'utf8').split(/^Copyright[^\n]*\n/m);
  const holder = `Copyright (c) ${name ?? `the authors of ${about.name}`}`;
  return [`MIT License (the package has no licence file)`, section ?? '', holder, mit.join('').trim()]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * @param {Iterable<string>} modules paths of all modules in the bundles
 * @param {readonly string[]} [more] folders of packages that are compiled into the addon
 */
export function collectNotices(modules, more = []) {
  const folders = new Set(more);
  for (const module of modules) {
    const folder = packageFolder(module);
    if (folder === null) continue;
    folders.add(folder);
    const from = BUNDLED_FROM.get(folder);
    if (from !== undefined) for (const inner of collectDependencies(from)) folders.add(inner);
  }
  const parts = [...folders].sort().map((folder) => {
    const file = inRoot(folder, 'package.json');
    if (!existsSync(file)) throw new Error(`${folder} has no package.json: its notice is missing`);
    const about = JSON.parse(readFileSync(file, 'utf8'));
    const line = '-'.repeat(100);
    const inner = CONTAINS.get(folder);
    const texts = [
      licenceText(folder, about),
      ...(inner === undefined ? [] : [readFileSync(inRoot(inner), 'utf8').trim()]),
    ];
    return `${line}\n${about.name} ${about.version} (${about.license})\n${line}\n\n${texts.join('\n\n')}\n`;
  });
  return `Third-party packages in these files, with their licences.\n\n${parts.join('\n')}`;
}
