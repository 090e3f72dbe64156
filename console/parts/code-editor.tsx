import type { ComponentChild, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { Flaw, Held, YamlEditor, openEditor } from './yaml-editor.ts';

const t = texts.editor;

interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly set?: (value: string) => void;
  readonly flaws?: readonly Flaw[];
}

/** CodeMirror, once it is loaded. */
let loaded: typeof openEditor | undefined;

interface Opened {
  readonly by: typeof openEditor;
  readonly held: Held | undefined;
}

/** With more characters a field of HTML holds the page for seconds. */
const MOST_PLAIN = 500_000;

/** A longer text stays black, because to colour it holds the page again and again. */
const MOST_COLOURED = 300_000;

const NONE: readonly Flaw[] = [];

/**
 * YAML with the flaws that were found in it. Tab indents, and Escape gives Tab back to the keyboard. A plain field stands there until
 * CodeMirror is loaded, and where it cannot be.
 */
export function CodeEditor({ label, value, set, flaws = NONE }: EditorProps): ComponentChild {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  /** A character is on its way into the field, and would be lost with it. */
  const isComposing = useRef(false);
  const about = useRef<HTMLDivElement>(null);
  const editor = useRef<YamlEditor>(undefined);
  const [opened, open] = useState<Opened | undefined>(loaded && { by: loaded, held: undefined });
  const isColoured = value.length <= MOST_COLOURED;
  const shown = { label, value, set, flaws, isColoured };
  useEffect(() => {
    if (opened) return undefined;
    let isHere = true;
    const takePlace = (by: typeof openEditor): void => {
      const { current } = field;
      if (!isHere) return;
      if (!isComposing.current) open({ by, held: current === null ? undefined : heldBy(current) });
      else current?.addEventListener('compositionend', () => setTimeout(() => takePlace(by)), { once: true });
    };
    // Where it cannot be loaded the plain field stays, and the next editor that is shown tries again.
    import('./yaml-editor.ts').then(
      (module) => takePlace((loaded = module.openEditor)),
      () => undefined,
    );
    return () => void (isHere = false);
  }, []);
  useLayoutEffect(() => {
    if (!opened || !place.current || !about.current) return undefined;
    const present = opened.by(place.current, shown, about.current, opened.held);
    editor.current = present;
    return () => present.close();
  }, [opened]);
  useLayoutEffect(() => editor.current?.show(shown));
  return (
    <div class="field">
      <div ref={place} class="editor">
        {!opened &&
          (value.length > MOST_PLAIN ? (
            <p class="quiet">{t.tooLong}</p>
          ) : (
            <PlainField {...{ label, value, set, flaws, field, isComposing }} describedBy={id} />
          ))}
      </div>
      <div ref={about} id={id}>
        {set && <p class="hint">{t.hint}</p>}
        {!isColoured && <p class="hint">{t.noColours}</p>}
        <ul>
          {flaws.map((flaw) => (
            <li key={`${flaw.line} ${flaw.text}`} class="wrong">
              {flaw.line > 0 && (
                <button
                  type="button"
                  class="line"
                  aria-label={t.goTo(flaw.line)}
                  disabled={!opened}
                  onClick={() => editor.current?.goTo(flaw)}
                >
                  {flaw.line}
                </button>
              )}
              <span>{flaw.text}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** A longer text scrolls. */
const MOST_ROWS = 200;

interface FieldProps extends Required<Pick<EditorProps, 'label' | 'value' | 'flaws'>> {
  readonly set: EditorProps['set'];
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isComposing: { current: boolean };
  readonly describedBy: string;
}

function PlainField({ label, value, set, flaws, field, isComposing, describedBy }: FieldProps): ComponentChild {
  const isFree = useRef(false);
  const key = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void => {
    if (event.key === 'Escape') isFree.current = true;
    if (event.key !== 'Tab' || event.shiftKey || isFree.current || set === undefined) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    event.currentTarget.setRangeText('  ', selectionStart, selectionEnd, 'end');
    set(event.currentTarget.value);
  };
  return (
    <textarea
      ref={field}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={flaws.length > 0}
      value={value}
      // Its beginning is enough to know the height.
      rows={value.slice(0, 100 * MOST_ROWS).split('\n', MOST_ROWS).length}
      readOnly={set === undefined}
      spellcheck={false}
      autocapitalize="off"
      onFocus={() => (isFree.current = false)}
      onKeyDown={key}
      onCompositionStart={() => (isComposing.current = true)}
      onCompositionEnd={() => (isComposing.current = false)}
      onInput={(event) => set?.(event.currentTarget.value)}
    />
  );
}

const heldBy = (field: HTMLTextAreaElement): Held => ({
  anchor: field.selectionStart,
  head: field.selectionEnd,
  hasFocus: field.matches(':focus'),
  top: field.scrollTop,
  left: field.scrollLeft,
});
