/** Keeps work that is done for onlookers to a share of the event loop's time. */
export class Pace {
  readonly #restPerWork: number;
  #until_ms = 0;

  constructor(restPerWork: number) {
    this.#restPerWork = restPerWork;
  }

  get resting(): boolean {
    return performance.now() < this.#until_ms;
  }

  working<T>(work: () => T): T {
    const start = performance.now();
    const made = work();
    const end = performance.now();
    this.#until_ms = Math.max(this.#until_ms, end) + this.#restPerWork * (end - start);
    return made;
  }
}
