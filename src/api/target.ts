import type { FastifyRequest } from 'fastify';
import { inTime } from '../database/patience.ts';
import { authenticate } from './bearer.ts';
import type { BearerParts } from './bearer.ts';
import { HttpProblem, retryAfterHeader } from './problem.ts';
import type { Targets } from './targets.ts';

export interface TargetParts {
  readonly guard: BearerParts;
  readonly targets: Targets;
  /** How long the database may take, ms. */
  readonly waitMs: number;
}

/** The sender of a request, and the project that its path names. */
export interface PushTarget {
  readonly applicationId: string;
  readonly projectId: number;
}

interface Path {
  readonly organisation_id: string;
  readonly ml_project: string;
}

/** Seconds after which a client should try again while the outbox of the project is full. */
const OUTBOX_SECONDS = 15;

/** Mostly from memory. Throws 401, 403 or 404 where the token is not valid for the project of the path. */
export const targetOf = (request: FastifyRequest, parts: TargetParts): Promise<PushTarget> =>
  inTime(parts.waitMs, found(request, parts));

async function found(request: FastifyRequest, { guard, targets }: TargetParts): Promise<PushTarget> {
  const holder = await authenticate(request, guard);
  const { applicationId } = holder;
  try {
    return { applicationId, projectId: await projectOf(targets, holder, request.params as Path) };
  } catch (error) {
    if (error instanceof HttpProblem && error.type === 'forbidden') {
      const route = `${request.method} ${request.routeOptions.url}`;
      guard.refused.note({
        requestId: request.id,
        address: request.ip,
        reason: error.type,
        application: applicationId,
        route,
      });
    }
    throw error;
  }
}

/** `targetOf`, where readings are sent: throws 503 while the outbox of the project is full. */
export const openTargetOf = (request: FastifyRequest, parts: TargetParts): Promise<PushTarget> =>
  inTime(parts.waitMs, foundOpen(request, parts));

async function foundOpen(request: FastifyRequest, parts: TargetParts): Promise<PushTarget> {
  const target = await found(request, parts);
  if (await parts.targets.isFull(target.projectId)) {
    const detail =
      'Too many readings of this project wait to be handed over. Nothing of this body was stored; send it again later.';
    throw new HttpProblem('overloaded', detail, { headers: retryAfterHeader(OUTBOX_SECONDS) });
  }
  return target;
}

/** The project that takes the readings. A token is for one organisation, or for some projects of it. */
async function projectOf(
  targets: Targets,
  holder: { organisationId: string; projects: readonly string[] | null },
  { organisation_id: organisation, ml_project: code }: Path,
): Promise<number> {
  if (organisation !== holder.organisationId && (await targets.hasOrganisation(organisation))) {
    throw new HttpProblem('forbidden', `The token is for organisation ${holder.organisationId}.`);
  }
  if (holder.projects && !holder.projects.includes(code)) {
    throw new HttpProblem('forbidden', `The token is for ${holder.projects.join(', ')} only.`);
  }
  const projectId = organisation === holder.organisationId ? await targets.project(organisation, code) : undefined;
  if (projectId === undefined) {
    throw new HttpProblem(
      'unknown-project',
      'The organisation or the project code does not exist; the operator issues both.',
    );
  }
  return projectId;
}
