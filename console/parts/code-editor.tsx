import type { ComponentChild } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface Flaw {
  readonly line: number;
  readonly text: string;
}

interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly set?: (value: string) => void;
  readonly flaws?: readonly Flaw[];
}

/** YAML with the numbers of its lines; Tab indents, and Escape gives Tab back to the keyboard. */
export function CodeEditor({ label, value, set, flaws = [] }: EditorProps): ComponentChild {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const isFree = useRef(false);
  const lines = value.split('\n').length;
  useLayoutEffect(() => {
    if (area.current) area.current.style.height = `${Math.max(240, lines * 19 + 20)}px`;
  }, [lines]);
  const key = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void => {
    if (event.key === 'Escape') isFree.current = true;
    if (event.key !== 'Tab' || event.shiftKey || isFree.current) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    event.currentTarget.setRangeText('  ', selectionStart, selectionEnd, 'end');
    set?.(event.currentTarget.value);
  };
  return (
    <div class="field">
      <div class="editor">
        <ol aria-hidden="true">
          {Array.from({ length: lines }, (_, at) => (
            <li key={at} class={flaws.some(({ line }) => line === at + 1) ? 'wrong' : ''}>
              {at + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={area}
          aria-label={label}
          aria-describedby={`${id}-flaws`}
          aria-invalid={flaws.length > 0}
          value={value}
          readOnly={set === undefined}
          spellcheck={false}
          autocapitalize="off"
          onFocus={() => (isFree.current = false)}
          onKeyDown={key}
          onInput={(event) => set?.(event.currentTarget.value)}
        />
      </div>
      <ul id={`${id}-flaws`}>
        {flaws.map(({ line, text }) => (
          <li key={`${line} ${text}`} class="wrong">
            {line > 0 && <b>{line}</b>} {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
