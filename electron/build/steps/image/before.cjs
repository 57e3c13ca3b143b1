/**
 * Runs before the program in its start-up image, whose modules are loaded only once, by the build. Values that they
 * read from that process, its machine or its clock would always be those of the build, so reading them throws an error.
 * `__image` replaces `import.meta` and Node's modules in the bundle: see electron/build/steps/image.mjs.
 */
const __image = (() => {
  /** Modules without process state. Each process loads the others: crypto, net and v8 in an image crash threads. */
  const PURE = ['path', 'util', 'url', 'events', 'stream', 'stream/promises', 'buffer'];
  let loading = true;
  /** @param {string} what @returns {never} */
  const refuse = (what) => {
    throw new Error(
      `${what} is read while modules are loaded, but its value in a start-up snapshot would be that of the build`,
    );
  };
  /** @type {(() => void)[]} */
  const undo = [];
  /** @param {object} object @param {string} name @param {string} what */
  const guard = (object, name, what) => {
    const found = Object.getOwnPropertyDescriptor(object, name);
    if (found === undefined) return;
    Object.defineProperty(object, name, { configurable: true, enumerable: true, get: () => refuse(what) });
    undo.push(() => Object.defineProperty(object, name, found));
  };
  const ofProcess = ['argv', 'argv0', 'cwd', 'env', 'execArgv', 'execPath', 'hrtime', 'memoryUsage', 'pid', 'ppid'];
  for (const name of [...ofProcess, 'stderr', 'stdin', 'stdout', 'uptime']) guard(process, name, `process.${name}`);
  for (const name of ['crypto', 'Intl', 'performance', 'WebAssembly']) guard(globalThis, name, name);
  guard(Date, 'now', 'Date.now');
  guard(Math, 'random', 'Math.random');

  // An image cannot contain a TextDecoder, but packages create theirs while they are loaded.
  const { TextDecoder: Decoder } = globalThis;
  const Later = class TextDecoder {
    /** @param {ConstructorParameters<typeof Decoder>} settings */
    constructor(...settings) {
      this.settings = settings;
      /** @type {InstanceType<typeof Decoder> | null} */
      this.made = null;
    }
    /** @param {Parameters<InstanceType<typeof Decoder>['decode']>} given */
    decode(...given) {
      if (loading) refuse('TextDecoder');
      this.made ??= new Decoder(...this.settings);
      return this.made.decode(...given);
    }
  };
  Object.assign(globalThis, { TextDecoder: Later });
  undo.push(() => Object.assign(globalThis, { TextDecoder: Decoder }));

  const started = () => process.argv[1] ?? '';
  return {
    /** Called after the last module was loaded; removes the guards. */
    loaded() {
      loading = false;
      for (const back of undo) back();
    },
    /** Replaces import.meta: paths are those of the bundle that is started from the image. */
    get dirname() {
      return require('node:path').dirname(started());
    },
    get url() {
      return require('node:url').pathToFileURL(started()).href;
    },
    /** Loads a file next to the image. @param {string} file */
    beside(file) {
      const { createRequire } = process.getBuiltinModule('node:module');
      return createRequire(started())(`../image/${file}`);
    },
    /** One of Node's modules, loaded when it is first used. @param {string} name */
    module(name) {
      if (PURE.includes(name)) {
        const pure = require(`node:${name}`);
        return typeof pure === 'function' ? pure : Object.create(pure);
      }
      /** @param {unknown} _ @param {string} key */
      const get = (_, key) => {
        if (key === '__esModule') return undefined;
        if (loading && key !== 'constants') refuse(`${key} of node:${name}`);
        return Reflect.get(process.getBuiltinModule(`node:${name}`) ?? {}, key);
      };
      // Inherited, because bundles copy a module's own properties, which would load it.
      return Object.create(new Proxy({}, { get }));
    },
  };
})();
void __image;
