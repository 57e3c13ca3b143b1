/** Names of recorded sessions below assets/runs. Plain JavaScript, which scripts read without a build. */

const GPUS = /** @type {const} */ (['h100', 'h200']);

/**
 * Returns the paths of possible further recordings of a session on other cards. They are in the same workload folder,
 * with the card as a prefix of the file name.
 * @param {string} file @returns {readonly string[]}
 */
export function recordingsOnOtherGpus(file) {
  const at = file.lastIndexOf('/') + 1;
  const folder = at === 0 ? 'transport/' : file.slice(0, at);
  const name = file.slice(at).replace(/^h[12]00-/, '');
  return GPUS.map((card) => `${folder}${card}-${name}`).filter((one) => one !== file);
}
