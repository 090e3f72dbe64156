import { Counter } from 'prom-client';
import type { CounterConfiguration } from 'prom-client';

/**
 * A counter that is added to several times a window. It sums up by itself until the counters are read, because prom-client
 * copies, sorts and joins the labels of each call.
 */
export class Tally {
  readonly #sums = new Map<string, { readonly labels: Record<string, string>; value: number }>();
  readonly #names: readonly string[];

  constructor(counter: Omit<CounterConfiguration<string>, 'collect'> & { readonly labelNames: readonly string[] }) {
    const sums = this.#sums;
    this.#names = counter.labelNames;
    new Counter({
      ...counter,
      collect() {
        for (const sum of sums.values()) {
          const { value } = sum;
          sum.value = 0;
          this.inc(sum.labels, value);
        }
      },
    });
  }

  /** `labels`: a value for each name, in their order. */
  add(value: number, ...labels: readonly string[]): void {
    const key = labels.join('\n');
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      sum = { labels: Object.fromEntries(this.#names.map((name, index) => [name, labels[index] ?? ''])), value: 0 };
      this.#sums.set(key, sum);
    }
    sum.value += value;
  }
}
