import type { ComponentChild } from 'preact';
import { texts } from '../texts.ts';

/** Four hues, each with a shape of its own. */
export type Tone = 'good' | 'warn' | 'bad' | 'calm';

const SHAPES: Readonly<Record<Tone, ComponentChild>> = {
  good: <circle cx="5" cy="5" r="4.5" fill="currentColor" />,
  warn: <path d="M5 0l5 5-5 5-5-5z" fill="currentColor" />,
  bad: <rect x=".5" y=".5" width="9" height="9" rx="1" fill="currentColor" />,
  calm: <circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" stroke-width="2" />,
};

const TONES: Readonly<Record<string, Tone>> = {
  well: 'good',
  ok: 'good',
  done: 'good',
  active: 'good',
  stopped: 'bad',
  failed: 'bad',
  critical: 'bad',
  open: 'bad',
  revoked: 'bad',
  failing: 'warn',
  behind: 'warn',
  silent: 'warn',
  warning: 'warn',
};

export const toneOf = (state: string): Tone => TONES[state] ?? 'calm';

/** A state by shape, colour and word. */
export const State = ({ of, word, tone }: { of: string; word?: string; tone?: Tone | undefined }): ComponentChild => {
  const shown = tone ?? toneOf(of);
  return (
    <span class={`state ${shown}`}>
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
        {SHAPES[shown]}
      </svg>
      {word ?? texts.states[of as keyof typeof texts.states] ?? of}
    </span>
  );
};
