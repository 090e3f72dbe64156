import type { ComponentChild } from 'preact';

/** A text of the bridge as a sentence: it begins large, unless with a command, a field or an address, and its commands are marked. */
export const Words = ({ of }: { of: string }): ComponentChild => {
  if (/^databridge \S+/.test(of)) return <code>{of}</code>;
  return of
    .replace(/^[a-z]+(?=[ ,;:]\s?)/, (word) => word.charAt(0).toUpperCase() + word.slice(1))
    .split(/`([^`]+)`/)
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
};
