/** Several questions may be under way at once; only the answer to the last is wanted. */

/** Call what is returned with each question: it tells, once the answer is there, whether none was asked since. */
export function lastAsked(): () => () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    const mine = asked;
    return () => mine === asked;
  };
}
