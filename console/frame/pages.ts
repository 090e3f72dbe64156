/** The pages of the console: their place in the side bar, and their code, which is loaded when a page is opened. */
import {
  AppWindow,
  Ban,
  BellRing,
  ChartLine,
  FolderKanban,
  History,
  LayoutDashboard,
  Network,
  ScrollText,
  Truck,
  Users,
} from 'lucide';
import type { IconNode } from 'lucide';
import type { ComponentType } from 'preact';
import { texts } from '../texts.ts';

interface PageEntry {
  /** The first part of its address. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconNode;
  readonly load: () => Promise<ComponentType>;
  /** Shown to admins alone, because the API refuses others. */
  readonly isForAdmins?: boolean;
}

interface Group {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

const page = (
  path: keyof typeof texts.nav,
  icon: IconNode,
  load: PageEntry['load'],
  isForAdmins = false,
): PageEntry => ({
  path,
  title: texts.nav[path],
  icon,
  load,
  isForAdmins,
});

/** The groups of the side bar. */
export const GROUPS: readonly Group[] = [
  {
    title: texts.nav.watch,
    pages: [
      page('overview', LayoutDashboard, async () => (await import('../overview/overview.tsx')).Overview),
      page('sources', Network, async () => (await import('../sources/pages.tsx')).SourcePages),
      page('backfills', History, async () => (await import('../backfills/backfills.tsx')).Backfills),
      page('refusals', Ban, async () => (await import('../refusals/refusals.tsx')).Refusals),
      page('alerts', BellRing, async () => (await import('../alerts/alerts.tsx')).Alerts),
      page('data', ChartLine, async () => (await import('../data/data.tsx')).Data),
    ],
  },
  {
    title: texts.nav.factory,
    pages: [
      page('applications', AppWindow, async () => (await import('../applications/applications.tsx')).Applications),
      page('projects', FolderKanban, async () => (await import('../projects/projects.tsx')).Projects),
      page('delivery', Truck, async () => (await import('../delivery/delivery.tsx')).Delivery),
    ],
  },
  {
    title: texts.nav.manage,
    pages: [
      page('audit', ScrollText, async () => (await import('../audit/audit.tsx')).Audit),
      page('operators', Users, async () => (await import('../operators/operators.tsx')).Operators, true),
    ],
  },
];

/** Pages that other pages and the foot of the side bar lead to. */
const OTHERS: Readonly<Record<string, PageEntry['load']>> = {
  account: async () => (await import('../account/account.tsx')).Account,
  register: async () => (await import('../register/register.tsx')).Register,
};

/** The code of the page with this address; undefined where there is none. */
export const loaderOf = (path: string): PageEntry['load'] | undefined =>
  GROUPS.flatMap(({ pages }) => pages).find((one) => one.path === path)?.load ??
  (Object.hasOwn(OTHERS, path) ? OTHERS[path] : undefined);
