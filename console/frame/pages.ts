/** The pages of the console: their place in the side bar, and their code, which is loaded when a page is opened. */
import { History, LayoutDashboard, Network } from 'lucide';
import type { IconNode } from 'lucide';
import type { ComponentType } from 'preact';
import { texts } from '../texts.ts';

export interface PageEntry {
  /** The first part of its address. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconNode;
  readonly load: () => Promise<ComponentType>;
}

interface Group {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

export const GROUPS: readonly Group[] = [
  {
    title: texts.nav.watch,
    pages: [
      {
        path: 'overview',
        title: texts.nav.overview,
        icon: LayoutDashboard,
        load: async () => (await import('../overview/overview.tsx')).Overview,
      },
      {
        path: 'sources',
        title: texts.nav.sources,
        icon: Network,
        load: async () => (await import('../sources/pages.tsx')).SourcePages,
      },
      {
        path: 'backfills',
        title: texts.nav.backfills,
        icon: History,
        load: async () => (await import('../backfills/backfills.tsx')).Backfills,
      },
    ],
  },
];
