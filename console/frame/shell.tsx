import type { ComponentChild, ComponentChildren } from 'preact';
import iconUrl from '../style/icon.svg';

/** The frame before it is known whether the browser has a session; `index.html` has the same before any script has come. */
export const Shell = ({ children }: { children?: ComponentChildren }): ComponentChild => (
  <div class="frame">
    <header class="side">
      <div class="top">
        <span class="brand">
          <img src={iconUrl} alt="" width={24} height={24} />
          databridge
        </span>
      </div>
    </header>
    {children && <main class="main">{children}</main>}
  </div>
);
