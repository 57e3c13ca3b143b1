/** What the page has to know of the machine it is shown on. */

export function isMac(): boolean {
  return /mac/i.test(navigator.platform);
}
