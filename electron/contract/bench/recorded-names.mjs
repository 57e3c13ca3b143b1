/**
 * File names of recorded sessions in assets/runs. This is plain JavaScript, so that scripts can import it without a
 * build.
 */

const GPUS = /** @type {const} */ (['h100', 'h200']);

/**
 * Returns the paths under which recordings of the same session on other GPUs may exist: in the same folder, with the
 * GPU as a prefix of the file name.
 * @param {string} file @returns {readonly string[]}
 */
export function recordingsOnOtherGpus(file) {
  const at = file.lastIndexOf('/') + 1;
  const folder = at === 0 ? 'transport/' : file.slice(0, at);
  const name = file.slice(at).replace(/^h[12]00-/, '');
  return GPUS.map((card) => `${folder}${card}-${name}`).filter((one) => one !== file);
}
