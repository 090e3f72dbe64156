import type { IconNode } from 'lucide';
import { createElement } from 'preact';
import type { ComponentChild } from 'preact';

interface IconProps {
  readonly of: IconNode;
  readonly size?: number;
}

/** A picture beside a word; it says nothing by itself. */
export const Icon = ({ of, size = 16 }: IconProps): ComponentChild => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {of.map(([tag, attributes], at) => createElement(tag, { key: at, ...attributes }))}
  </svg>
);
