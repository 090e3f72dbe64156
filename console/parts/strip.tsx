import type { ComponentChild } from 'preact';
import { runsOf } from './cell-states.ts';
import { texts } from '../texts.ts';

/** The patterns of the coverage states, once a page: a state is told by its pattern as well as by its colour. */
export const StripPatterns = (): ComponentChild => (
  <svg class="away" aria-hidden="true" focusable="false">
    <defs>
      <Pattern id="e" ground="--cell-empty">
        <circle cx="3" cy="3" r="1" fill="var(--cell-data)" />
      </Pattern>
      <Pattern id="m" ground="--cell-missing">
        <path d="M-1 7L7 -1" stroke="var(--cell-mark)" stroke-width="1.4" />
      </Pattern>
      <Pattern id="a" ground="--cell-asking">
        <path d="M0 1.5h6" stroke="var(--surface)" stroke-width="1.2" />
      </Pattern>
      <Pattern id="r" ground="--cell-data">
        <rect width="3" height="6" fill="var(--cell-refused)" />
      </Pattern>
      <Pattern id="f" ground="--cell-failed">
        <path d="M0 0l6 6M6 0l-6 6" stroke="var(--surface)" stroke-width="1" />
      </Pattern>
    </defs>
  </svg>
);

const Pattern = ({
  id,
  ground,
  children,
}: {
  id: string;
  ground: string;
  children: ComponentChild;
}): ComponentChild => (
  <pattern id={`pattern-${id}`} width="6" height="6" patternUnits="userSpaceOnUse">
    <rect width="6" height="6" fill={`var(${ground})`} />
    {children}
  </pattern>
);

/** The coverage of a range in one line. */
export function Strip({ states, label }: { states: string; label: string }): ComponentChild {
  const runs = runsOf(states);
  const length = runs.reduce((sum, { count }) => sum + count, 0);
  const words = [...new Set(runs.map(({ state }) => texts.cells[state]))].join(', ');
  return (
    <svg class="strip" role="img" aria-label={`${label}: ${words}`} preserveAspectRatio="none">
      {runs.map(({ at, count, state }) => (
        <rect
          key={at}
          class={`cell-${state}`}
          x={`${(100 * at) / length}%`}
          width={`${(100 * count) / length}%`}
          height="100%"
        />
      ))}
    </svg>
  );
}

/** Names the states that a picture of coverage shows. */
export const StripLegend = (): ComponentChild => (
  <div class="legend">
    {(['d', 'e', 'm', 'a', 'r', 'f', 'n'] as const).map((state) => (
      <span key={state}>
        <svg width="14" height="12" aria-hidden="true">
          <rect class={`cell-${state}`} width="14" height="12" rx="2" stroke="var(--line-strong)" stroke-width="0.5" />
        </svg>
        {texts.cells[state]}
      </span>
    ))}
  </div>
);
