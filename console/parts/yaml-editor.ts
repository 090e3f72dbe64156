/** CodeMirror for YAML. Pages load it when they show an editor, so its own imports take no part in the first page. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { nextDiagnostic, previousDiagnostic, setDiagnostics, setDiagnosticsEffect } from '@codemirror/lint';
import type { Diagnostic } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, Prec, RangeSet, StateField, Transaction } from '@codemirror/state';
import type { Extension, Text } from '@codemirror/state';
import { EditorView, GutterMarker, gutterLineClass, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { texts } from '../texts.ts';
import { LOOK } from './yaml-editor-look.ts';

/** A place in a text; both count from 1. */
export interface Place {
  /** 0: the place is not known, or the whole text. */
  readonly line: number;
  readonly column: number;
}

export interface Flaw extends Place {
  readonly text: string;
}

/** What a page shows in an editor. */
export interface Shown {
  readonly label: string;
  readonly value: string;
  /** Takes a changed text; without it the text is for reading. */
  readonly set?: ((value: string) => void) | undefined;
  readonly flaws: readonly Flaw[];
  /** Its words have colours, for which all of it is read. */
  readonly isColoured: boolean;
}

/** Where an operator was in the field that an editor takes the place of. */
export interface Held {
  readonly anchor: number;
  readonly head: number;
  readonly hasFocus: boolean;
  /** How far it was scrolled, px. */
  readonly top: number;
  readonly left: number;
}

export interface YamlEditor {
  /** Shows what a page has now; what is the same as before stays untouched. */
  readonly show: (shown: Shown) => void;
  readonly goTo: (place: Place) => void;
  readonly close: () => void;
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.labelName, tags.typeName, tags.keyword, tags.meta], color: 'var(--warn)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--quiet)' },
  { tag: tags.lineComment, color: 'var(--quiet)', fontStyle: 'italic' },
]);

/** Escape gives Tab back to the keyboard, until the text is edited or left: without that, Tab would hold the keyboard in it. */
const ESCAPE: Extension = [
  Prec.highest(
    keymap.of([
      {
        key: 'Escape',
        run: (view) => {
          view.setTabFocusMode(true);
          return false;
        },
      },
    ]),
  ),
  EditorView.domEventObservers({ blur: (_, view) => view.setTabFocusMode(false) }),
  EditorView.updateListener.of(({ view, docChanged }) => {
    if (docChanged) view.setTabFocusMode(false);
  }),
];

/**
 * A text that is typed over a selection goes straight into the state: where the selection begins in a coloured word, Chromium would give
 * the text that colour by a `style` attribute, which the policy of the page holds off and reports.
 */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== 'insertText' || event.data === null || event.isComposing) return false;
    const { from, to } = selectedIn(view);
    if (from === to || view.state.readOnly) return false;
    event.preventDefault();
    const anchor = from + view.state.toText(event.data).length;
    view.dispatch({
      changes: { from, to, insert: event.data },
      selection: { anchor },
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    return true;
  },
});

/** What is selected on the page: where another program selected it, CodeMirror learns of it a moment later. */
function selectedIn(view: EditorView): { readonly from: number; readonly to: number } {
  // Chromium alone tells the selection of a shadow root in this way.
  const selection = (view.root as { getSelection?: () => Selection | null }).getSelection?.();
  if (!selection?.anchorNode || !selection.focusNode || !view.contentDOM.contains(selection.anchorNode))
    return view.state.selection.main;
  const ends = [
    view.posAtDOM(selection.anchorNode, selection.anchorOffset),
    view.posAtDOM(selection.focusNode, selection.focusOffset),
  ];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

class WrongLine extends GutterMarker {
  override elementClass = 'wrong';
}

const WRONG_LINE = new WrongLine();

/** The numbers of lines with a flaw. */
const WRONG_LINES = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(lines, { changes, effects, state }) {
    const found = effects.find((effect) => effect.is(setDiagnosticsEffect));
    if (found === undefined) return lines.map(changes);
    const begins = (found.value as readonly Diagnostic[]).map(({ from }) => state.doc.lineAt(from).from);
    return RangeSet.of(
      [...new Set(begins)].map((begin) => WRONG_LINE.range(begin)),
      true,
    );
  },
  provide: (field) => gutterLineClass.from(field),
});

const EXTENSIONS: readonly Extension[] = [
  lineNumbers(),
  history(),
  search({ top: true }),
  ESCAPE,
  TYPED_OVER,
  WRONG_LINES,
  keymap.of([
    { key: 'F8', run: nextDiagnostic, shift: previousDiagnostic },
    ...searchKeymap,
    ...historyKeymap,
    indentWithTab,
    ...defaultKeymap,
  ]),
  EditorState.phrases.of(texts.editor.phrases),
  LOOK,
];

const COLOURED: Extension = [yaml(), syntaxHighlighting(COLOURS)];

/** The part that follows the page. */
const FOLLOWING = new Compartment();

const following = ({ label, set, flaws, isColoured }: Shown): Extension => [
  isColoured ? COLOURED : [],
  EditorState.readOnly.of(set === undefined),
  EditorView.contentAttributes.of({
    'aria-label': label,
    tabindex: '0',
    'aria-invalid': String(flaws.length > 0),
    // A phone shows no keyboard for a text that cannot be changed.
    ...(set === undefined && { inputmode: 'none' }),
  }),
];

const followed = ({ label, set, flaws, isColoured }: Shown): string =>
  JSON.stringify([label, set === undefined, flaws, isColoured]);

/**
 * Opens an editor in the shadow root of a place: the policy of the page holds off the styles that it would write into the document.
 * `about`: the element of the page that describes it.
 */
export function openEditor(place: HTMLElement, first: Shown, about: HTMLElement, held: Held | undefined): YamlEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  let shown = first;
  let { value } = first;
  const view = new EditorView({
    root,
    parent: root,
    doc: value,
    extensions: [
      EXTENSIONS,
      FOLLOWING.of(following(first)),
      EditorView.updateListener.of(({ transactions, state }) => {
        if (!transactions.some((one) => one.docChanged && one.annotation(Transaction.remote) !== true)) return;
        value = state.doc.toString();
        shown.set?.(value);
      }),
    ],
  });
  // An id does not reach out of a shadow root.
  view.contentDOM.ariaDescribedByElements = [about];
  mark(view, first.flaws);
  if (held !== undefined) takeOver(view, held);
  return {
    show(next) {
      const before = shown;
      shown = next;
      if (next.value !== value) {
        value = next.value;
        replace(view, value);
      }
      if (followed(next) === followed(before)) return;
      view.dispatch({ effects: FOLLOWING.reconfigure(following(next)) });
      mark(view, next.flaws);
    },
    goTo(flaw) {
      const at = offsetOf(view.state.doc, flaw);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

function takeOver(view: EditorView, { anchor, head, hasFocus, top, left }: Held): void {
  const within = (at: number): number => Math.min(at, view.state.doc.length);
  view.dispatch({ selection: { anchor: within(anchor), head: within(head) } });
  if (hasFocus) view.focus();
  // Lines have their heights from the first measurement on.
  view.requestMeasure({ read: () => undefined, write: () => view.scrollDOM.scrollTo({ top, left }) });
}

/** Puts another text in place by the part that differs, so that cursor and marks stay where they are in the rest. */
function replace(view: EditorView, text: string): void {
  const { state } = view;
  const former = state.doc.toString();
  const most = Math.min(former.length, text.length);
  let from = 0;
  while (from < most && former.charCodeAt(from) === text.charCodeAt(from)) from += 1;
  let same = 0;
  while (same < most - from && former.charCodeAt(former.length - 1 - same) === text.charCodeAt(text.length - 1 - same))
    same += 1;
  view.dispatch({
    changes: { from, to: former.length - same, insert: text.slice(from, text.length - same) },
    // What the form beside it changed can be undone; another revision of a text that is read cannot.
    annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(!state.readOnly)],
  });
}

/** Marks each flaw from its place to the end of its line. */
function mark(view: EditorView, flaws: readonly Flaw[]): void {
  const { state } = view;
  const marks = flaws
    .filter(({ line }) => line > 0)
    .map((flaw): Diagnostic => {
      const from = offsetOf(state.doc, flaw);
      const line = state.doc.lineAt(from);
      const to = Math.max(from, line.from + line.text.trimEnd().length);
      return { from, to, severity: 'error', message: flaw.text };
    });
  view.dispatch(setDiagnostics(state, marks));
}

/** A place in a text as the number of characters before it; a place behind its end is the end. */
function offsetOf(doc: Text, { line, column }: Place): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column, 1) - 1, to);
}
