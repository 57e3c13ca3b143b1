/** Several questions may be under way at once; only the answer to the last is wanted. */

/**
 * Call the returned function with each request. Its result reports, once the answer has arrived, whether the request is
 * still the newest.
 */
export function lastAsked(): () => () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    const mine = asked;
    return () => mine === asked;
  };
}
