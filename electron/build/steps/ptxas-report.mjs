/**
 * Resources of one kernel on one GPU architecture, as ptxas reports them.
 * @typedef {Readonly<{
 *   name: string, architecture: string, registers: number, shared_bytes: number, constant_bytes: number,
 *   stack_bytes: number, spill_store_bytes: number, spill_load_bytes: number, barriers: number,
 *   max_threads: number | null,
 * }>} KernelResources
 */

/**
 * Parses the largest number of threads per block for kernels with launch bounds: `.entry sweep( … ) .maxntid 256, 1, 1
 * {`.
 * @param {string} ptx
 */
function readBounds(ptx) {
  /** @type {Map<string, number>} */
  const bounds = new Map();
  for (const [, name, rest] of ptx.matchAll(/\.entry\s+([\w$]+)\s*\(([^{]*)/g)) {
    const extents = /\.(?:maxntid|reqntid)\s+([\d, ]+)/.exec(String(rest))?.[1];
    if (extents)
      bounds.set(
        String(name),
        extents.split(',').reduce((product, part) => product * Number(part), 1),
      );
  }
  return bounds;
}

/**
 * Reads the output of `nvcc -Xptxas -v`. Each kernel has these lines:
 *
 *   ptxas info    : Compiling entry function 'sweep' for 'sm_80'
 *   ptxas info    : Function properties for sweep
 *       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *   ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem, 380 bytes cmem[0]
 *
 * The maximum number of threads of a block is only in the PTX of kernels with launch bounds. These may differ by GPU
 * generation.
 * @param {string} log
 * @param {Readonly<Record<number, string>>} ptx texts by generation: sm_89 has the bounds of 80, sm_100 those of 90
 * @returns {KernelResources[]} sorted by name, then architecture
 */
export function readResources(log, ptx) {
  const generations = Object.entries(ptx)
    .map(([since, text]) => ({ since: Number(since), bounds: readBounds(text) }))
    .sort((a, b) => b.since - a.since);
  /** @param {string} architecture */
  const boundsOf = (architecture) =>
    generations.find(({ since }) => since <= Number.parseInt(architecture, 10))?.bounds ?? new Map();
  const kernels = [];
  for (const part of log.split(/^ptxas info\s*: Compiling entry function /m).slice(1)) {
    const head = /^'([^']+)' for 'sm_(\d+[a-z]?)'/.exec(part);
    const used = /Used (\d+) registers(.*)/.exec(part);
    if (!head || !used) continue;
    /** @param {RegExp} pattern */
    const bytes = (pattern) => Number(pattern.exec(part)?.[1] ?? 0);
    const constants = [...(used[2] ?? '').matchAll(/(\d+) bytes cmem\[\d+\]/g)].map((match) => Number(match[1]));
    kernels.push({
      name: String(head[1]),
      architecture: `sm_${head[2]}`,
      registers: Number(used[1]),
      shared_bytes: bytes(/(\d+) bytes smem/),
      constant_bytes: constants.reduce((sum, value) => sum + value, 0),
      stack_bytes: bytes(/(\d+) bytes stack frame/),
      spill_store_bytes: bytes(/(\d+) bytes spill stores/),
      spill_load_bytes: bytes(/(\d+) bytes spill loads/),
      barriers: bytes(/used (\d+) barriers/),
      max_threads: boundsOf(String(head[2])).get(String(head[1])) ?? null,
    });
  }
  const number = (/** @type {KernelResources} */ kernel) => Number.parseInt(kernel.architecture.slice(3), 10);
  return kernels.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : number(a) - number(b)));
}
