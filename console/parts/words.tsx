import type { ComponentChild } from 'preact';
import { momentOf } from '../client/zone.ts';

/** An instant as the bridge writes it in a text, or its begin where a text is cut. */
const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d*)?(?:Z|(…))/g;

/**
 * A text of the bridge as a sentence: it begins large, unless with a command, a field or an address, its commands are marked, and its
 * times are those of the viewer's zone.
 */
export const Words = ({ of }: { of: string }): ComponentChild => {
  if (/^databridge \S+/.test(of)) return <code>{of}</code>;
  return of
    .replace(/^[a-z]+(?=[ ,;:]\s?)/, (word) => word.charAt(0).toUpperCase() + word.slice(1))
    .split(/`([^`]+)`/)
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part.replaceAll(INSTANT, inZone)));
};

const inZone = (_: string, second: string, cut = ''): string => `${momentOf(`${second}Z`)}${cut}`;
