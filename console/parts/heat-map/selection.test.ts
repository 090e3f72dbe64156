import { describe, expect, it } from 'vitest';
import { isSelected, selected, selectionOfText, textOfSelection } from './selection.ts';
import type { Selection } from './selection.ts';

const STREAMS = ['pump', 'fan'];
const line = (from: number, to: number, ...streams: string[]) => ({
  from,
  to,
  streams: streams.length === 0 ? undefined : streams,
});
const clock = { write: String, read: (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : undefined) };

describe('a selection', () => {
  it('is replaced by a drag, and grows by one with Shift; what touches is one', () => {
    const first = selected([line(0, 5)], line(10, 20, 'pump'), 'replace', STREAMS);
    expect(first).toEqual([line(10, 20, 'pump')]);
    expect(selected(first, line(20, 30, 'pump'), 'add', STREAMS)).toEqual([line(10, 30, 'pump')]);
    expect(selected(first, line(10, 20, 'fan'), 'add', STREAMS)).toEqual([line(10, 20, 'pump', 'fan')]);
  });

  it('shrinks by a drag that begins in it, also where it is of all streams', () => {
    expect(selected([line(0, 30, 'pump')], line(10, 20, 'pump'), 'subtract', STREAMS)).toEqual([
      line(0, 10, 'pump'),
      line(20, 30, 'pump'),
    ]);
    expect(selected([line(0, 30)], line(10, 20, 'pump'), 'subtract', STREAMS)).toEqual([
      line(0, 10, 'pump'),
      line(0, 30, 'fan'),
      line(20, 30, 'pump'),
    ]);
    expect(selected([line(0, 30)], line(0, 30), 'subtract', STREAMS)).toEqual([]);
  });

  it('holds a bin only as a whole', () => {
    const selection = [line(10, 30, 'pump')];
    expect(isSelected(selection, 'pump', { from: 10, to: 20 })).toBe(true);
    expect(isSelected(selection, 'pump', { from: 5, to: 15 })).toBe(false);
    expect(isSelected(selection, 'fan', { from: 10, to: 20 })).toBe(false);
  });

  it('is the same again after it was text', () => {
    const selection: Selection = [line(0, 10, 'pump', 'hall 3 · north'), line(20, 30)];
    const text = textOfSelection(selection, clock);
    expect(text).toBe('0 – 10 · pump, hall 3 · north\n20 – 30');
    expect(selectionOfText(`\n${text}\n`, clock)).toEqual({ selection });
  });

  it.each(['x – 3', '3 – 2', '3', '3 – 3'])('is no text %j', (text) => {
    expect(selectionOfText(`1 - 2\n${text}`, clock)).toEqual({ wrong: 2 });
  });
});
