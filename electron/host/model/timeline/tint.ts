/** The colour of a name: the same in every trace, so that a kernel is recognised across variants. */

/** As many colours as the page's palette has. */
const TINTS = 8;

/** FNV-1a over the name without template arguments and parameters: versions of one kernel share a colour. */
export function tintOf(name: string): number {
  const end = name.search(/[<(]/);
  const length = end > 0 ? end : name.length;
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i += 1) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // The low bits of FNV alone are poor in short names.
  return ((hash ^ (hash >>> 15)) >>> 0) % TINTS;
}
