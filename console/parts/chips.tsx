import type { ComponentChild } from 'preact';

interface ChipsProps<Key extends string> {
  readonly label: string;
  readonly options: readonly (readonly [key: Key, content: ComponentChild])[];
  readonly chosen: Key | undefined;
  /** Undefined where the chosen one is pressed again. */
  readonly choose: (key: Key | undefined) => void;
}

/** Filters of which one at most holds. */
export const Chips = <Key extends string>({ label, options, chosen, choose }: ChipsProps<Key>): ComponentChild => (
  <div class="chips" role="group" aria-label={label}>
    {options.map(([key, content]) => (
      <button
        key={key}
        type="button"
        class="chip"
        aria-pressed={key === chosen}
        onClick={() => choose(key === chosen ? undefined : key)}
      >
        {content}
      </button>
    ))}
  </div>
);
