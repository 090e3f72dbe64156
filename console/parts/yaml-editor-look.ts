import { EditorView } from '@codemirror/view';

const FOCUS = { outline: '2px solid var(--accent)', outlineOffset: '1px' };
const TYPE = { font: '13px/20px Inter, system-ui, sans-serif' };
const FRAME = {
  boxSizing: 'border-box',
  border: '1px solid var(--line-strong)',
  borderRadius: '6px',
  color: 'inherit',
  font: 'inherit',
};

/**
 * The look of an editor by the tokens of the page, which reach into its shadow root. It has no picture of its own: the policy of the
 * page allows none but from the bridge, so what CodeMirror draws by `data:` is drawn here in another way.
 */
export const LOOK = EditorView.theme({
  '&': { flex: '1 1 auto', minHeight: '0', color: 'var(--text)' },
  // The place around it shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { flex: '1 1 auto', minHeight: '0', overflow: 'auto', font: 'inherit', lineHeight: 'inherit' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--quiet)' },
  '.cm-gutters.cm-gutters-before': { border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '40px', padding: '0 8px 0 10px' },
  '.cm-gutterElement.wrong': { color: 'var(--bad)', fontWeight: '700' },

  '.cm-lintRange-error': {
    padding: '0',
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-active': { background: 'var(--bad-ground)' },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--bad)' },
  '.cm-tooltip': {
    maxWidth: 'min(60ch, 90vw)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    background: 'var(--raised)',
    boxShadow: 'var(--shadow-high)',
    color: 'var(--text)',
  },
  '.cm-diagnostic': { ...TYPE, margin: '0', padding: '6px 10px', overflowWrap: 'anywhere' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },

  '.cm-panels': { ...TYPE, background: 'var(--sunken)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '6px 8px',
    padding: '8px 44px 8px 10px',
    '& br, & [name=select]': { display: 'none' },
    '& input, & button, & label': { margin: '0' },
    '& label': { display: 'inline-flex', alignItems: 'center', gap: '6px', fontSize: 'inherit' },
    '& input[type=checkbox]': { width: '16px', height: '16px', accentColor: 'var(--accent)' },
    '& [name=close]': {
      top: '8px',
      right: '8px',
      width: '28px',
      height: '28px',
      borderRadius: '6px',
      fontSize: '18px',
    },
    '& [name=close]:hover, & .cm-button:hover': { background: 'var(--hover)' },
    '& :focus-visible': FOCUS,
  },
  '.cm-textfield': {
    ...FRAME,
    flex: '1 1 120px',
    minWidth: '0',
    maxWidth: '260px',
    minHeight: '28px',
    padding: '2px 8px',
    background: 'var(--surface)',
  },
  '.cm-button': { ...FRAME, minHeight: '28px', padding: '0 9px', background: 'var(--raised)', cursor: 'pointer' },
  '.cm-button:active': { background: 'var(--sunken)' },
  '.cm-searchMatch': { background: 'var(--warn-ground)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-ground)', outline: '2px solid var(--accent)' },
});
