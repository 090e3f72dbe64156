import { Ellipsis } from 'lucide';
import type { IconNode } from 'lucide';
import type { ComponentChild } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface MenuProps {
  readonly label: string;
  readonly items: readonly (
    | { readonly title: string; readonly icon: IconNode; readonly isDangerous?: boolean; readonly act: () => unknown }
    | undefined
    | false
  )[];
}

/** More actions on a thing: a native popover at its button. */
export function Menu({ label, items }: MenuProps): ComponentChild {
  const id = useId();
  // Each row of a list has a menu, so its items exist only while they are seen.
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const place = (event: { readonly newState: string }): void => {
    if (event.newState !== 'open' || !button.current || !menu.current) return;
    const { right, bottom, top } = button.current.getBoundingClientRect();
    const { style, offsetWidth, offsetHeight } = menu.current;
    style.left = `${Math.max(8, right - offsetWidth)}px`;
    style.top = `${bottom + offsetHeight + 12 > innerHeight ? top - offsetHeight - 4 : bottom + 4}px`;
    menu.current.querySelector('button')?.focus();
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = [...(menu.current?.querySelectorAll('button') ?? [])];
    if (step === undefined || all.length === 0) return;
    event.preventDefault();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    all.at((at + step + all.length) % all.length)?.focus();
  };
  const shown = items.filter((one) => one !== undefined && one !== false);
  if (shown.length === 0) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button plain icon-only"
        aria-label={label}
        title={label}
        popovertarget={id}
      >
        <Icon of={Ellipsis} />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        popover="auto"
        role="group"
        aria-label={label}
        onBeforeToggle={({ newState }) => setOpen(newState === 'open')}
        onToggle={place}
        onKeyDown={move}
      >
        {isOpen &&
          shown.map(({ title, icon, isDangerous, act }) => (
            <button
              key={title}
              type="button"
              class={isDangerous ? 'danger' : ''}
              onClick={() => {
                menu.current?.hidePopover();
                act();
              }}
            >
              <Icon of={icon} />
              {title}
            </button>
          ))}
      </div>
    </>
  );
}
