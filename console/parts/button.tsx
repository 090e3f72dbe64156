import { LoaderCircle } from 'lucide';
import type { IconNode } from 'lucide';
import type { ComponentChild, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconNode;
  /** Its name where it shows no text. */
  readonly label?: string;
  readonly look?: 'main-one' | 'danger' | 'plain' | undefined;
  readonly isSmall?: boolean;
  /** Why it cannot be pressed now; it stays reachable and says so. */
  readonly why?: string | undefined;
  readonly type?: 'submit' | 'button';
  readonly isBusy?: boolean;
  /** It stays busy until the promise ends. */
  readonly act?: () => unknown;
}

export function Button(props: ButtonProps): ComponentChild {
  const { children, icon, label, look, isSmall, why, type = 'button', act, isBusy = false } = props;
  const [works, setWorks] = useState(false);
  const isWaiting = works || isBusy;
  const press = (event: Event): void => {
    if (why !== undefined || isWaiting) {
      event.preventDefault();
      return;
    }
    const result = act?.();
    if (!(result instanceof Promise)) return;
    setWorks(true);
    void result.finally(() => setWorks(false));
  };
  const names = ['button', look, children === undefined && 'icon-only', isSmall && 'small-one'];
  return (
    <button
      type={type}
      class={names.filter(Boolean).join(' ')}
      aria-label={label}
      title={why ?? (children === undefined ? label : undefined)}
      aria-disabled={why !== undefined || isWaiting}
      onClick={press}
    >
      {isWaiting ? <Icon of={LoaderCircle} /> : icon && <Icon of={icon} />}
      {children}
    </button>
  );
}
