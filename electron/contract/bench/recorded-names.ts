/** Names of recorded sessions below assets/runs. */

const CARDS = ['h100', 'h200'] as const;

/**
 * Where the same session lies that was recorded again, later or on another card: in the folder of its workload, its name
 * beginning with the card.
 */
export function recordedAgain(file: string): readonly string[] {
  const at = file.lastIndexOf('/') + 1;
  const folder = at === 0 ? 'transport/' : file.slice(0, at);
  const name = file.slice(at).replace(/^h[12]00-/, '');
  return CARDS.map((card) => `${folder}${card}-${name}`).filter((one) => one !== file);
}
