import { z } from 'zod';
import { configInvalid, contractBroken, rightMissing } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http } from '../../../src/platform/contract.ts';
import type { CogniteSettings } from './options.ts';
import { pathOf } from './series.ts';

const inspection = z.object({ projects: z.array(z.object({ projectUrlName: z.string() })) });
const listing = z.object({ items: z.array(z.unknown()) });

/**
 * Asks the platform about the token, a call that only Cognite has, then for one time series of the project. A client may lack the
 * rights of the first call (projectsAcl:LIST, groupsAcl:LIST) and still read.
 */
export async function identify(http: Http, options: CogniteSettings): Promise<{ product: string }> {
  const { project } = options;
  const { status, data } = await http.get<unknown>('/api/v1/token/inspect', { expect: [403, 404, 405] });
  if (status === 404 || status === 405) {
    throw contractBroken(`this is not Cognite Data Fusion: /api/v1/token/inspect answers ${status}`);
  }
  if (status === 200) {
    const { projects } = answer(inspection, data, 'this is not Cognite Data Fusion: its /api/v1/token/inspect');
    const names = projects.map(({ projectUrlName }) => projectUrlName);
    if (!names.includes(project)) {
      throw configInvalid(
        `the client has no rights in the project ${project}`,
        names.length === 0
          ? 'let an administrator of the project add the client to a group'
          : `the projects in which it has rights: ${names.join(', ')}`,
        'options.project',
      );
    }
  }
  await mayListSeries(http, options);
  return { product: `Cognite Data Fusion, project ${project}` };
}

/** Throws where the client may not list the time series of the project. */
export async function mayListSeries(http: Http, options: CogniteSettings): Promise<void> {
  const { project } = options;
  const list = await http.post<unknown>(pathOf(options, 'list'), { limit: 1 }, { expect: [403] });
  if (list.status === 403) {
    throw rightMissing(
      `the client may not list the time series of the project ${project}`,
      'check options.project, and give a group of the client the capability timeSeriesAcl:READ there',
    );
  }
  answer(listing, list.data, 'Cognite time series');
}
