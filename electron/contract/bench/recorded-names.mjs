/** Names of recorded sessions below assets/runs. Plain JavaScript, which scripts read without a build. */

const CARDS = /** @type {const} */ (['h100', 'h200']);

/**
 * Candidate paths of other recordings of the same session, later or on another card: same workload folder, file name
 * prefixed with the card.
 * @param {string} file @returns {readonly string[]}
 */
export function recordedAgain(file) {
  const at = file.lastIndexOf('/') + 1;
  const folder = at === 0 ? 'transport/' : file.slice(0, at);
  const name = file.slice(at).replace(/^h[12]00-/, '');
  return CARDS.map((card) => `${folder}${card}-${name}`).filter((one) => one !== file);
}
