import { Search as SearchIcon } from 'lucide';
import type { ComponentChild } from 'preact';
import { Icon } from './icon.tsx';

/** A field that looks for something; its label stands in it. */
export const Search = ({
  label,
  value,
  set,
  most,
}: {
  label: string;
  value: string;
  set: (value: string) => void;
  /** As many characters as the bridge looks for. */
  most: number;
}): ComponentChild => (
  <div class="search">
    <Icon of={SearchIcon} />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={most}
      onInput={(event) => set(event.currentTarget.value)}
    />
  </div>
);
