import type { ComponentChild } from 'preact';

/** A text of the bridge, whose commands stand between backticks or are all of it. */
export const Words = ({ of }: { of: string }): ComponentChild => {
  if (/^databridge \S+/.test(of)) return <code class="command">{of}</code>;
  return of.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
};
