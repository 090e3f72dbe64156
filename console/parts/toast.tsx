import { CircleAlert, CircleCheck, X } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../client/api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface Note {
  readonly id: number;
  readonly text: string;
  readonly more: string | undefined;
  readonly isBad: boolean;
}

/** A good note goes by itself, a bad one when it is closed, ms. */
const SHOWN_MS = 6_000;

let notes: readonly Note[] = [];
let count = 0;
const watchers = new Set<() => void>();

function become(next: readonly Note[]): void {
  notes = next;
  for (const act of watchers) act();
}

const close = (id: number): void => become(notes.filter((note) => note.id !== id));

/** Says that an action was done. */
export function say(text: string, more?: string): void {
  const id = (count += 1);
  become([...notes, { id, text, more, isBad: false }]);
  setTimeout(() => close(id), SHOWN_MS);
}

/** Says that an action was refused, and what to do. */
export function complain(error: unknown): void {
  const refusal = error instanceof Refusal ? error : undefined;
  const text = refusal?.message ?? String(error);
  become([
    ...notes.filter((note) => note.text !== text),
    { id: (count += 1), text, more: refusal?.problem.remedy ?? undefined, isBad: true },
  ]);
}

/** Does an action, and says how it ended. */
export async function done(action: Promise<unknown>, text: string): Promise<boolean> {
  try {
    await action;
    say(text);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

export function Toasts(): ComponentChild {
  const [shown, show] = useState(notes);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const act = (): void => show(notes);
    watchers.add(act);
    return () => void watchers.delete(act);
  }, []);
  // In the top layer, so that they stand above a dialog.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    if (element.matches(':popover-open')) element.hidePopover();
    if (shown.length > 0) element.showPopover();
  }, [shown]);
  return (
    <div class="toasts" ref={place} popover="manual" role="status">
      {shown.map(({ id, text, more, isBad }) => (
        <div key={id} class={isBad ? 'toast bad' : 'toast'}>
          <Icon of={isBad ? CircleAlert : CircleCheck} />
          <div class="grow">
            {text}
            {more && <div class="quiet">{more}</div>}
          </div>
          <Button icon={X} label={texts.close} look="plain" act={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
