/** An amount of something that jobs share, such as bytes: each waits until there is enough for it, in order. */
export class Budget {
  readonly #all: number;
  #taken = 0;
  readonly #waiting: { readonly amount: number; readonly go: () => void }[] = [];

  constructor(all: number) {
    this.#all = all;
  }

  /** Resolves when `amount` is there, with what gives it back. More than there is waits to be alone. */
  async take(amount: number): Promise<() => void> {
    if (this.#waiting.length > 0 || !this.#fits(amount)) {
      await new Promise<void>((go) => {
        this.#waiting.push({ amount, go });
      });
    } else this.#taken += amount;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#taken -= amount;
      this.#next();
    };
  }

  #fits(amount: number): boolean {
    return this.#taken === 0 || this.#taken + amount <= this.#all;
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined && this.#fits(first.amount); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += first.amount;
      first.go();
    }
  }
}
