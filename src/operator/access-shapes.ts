import { z } from 'zod';
import type { applicationDocument } from '../access/applications.ts';
import { shows } from './documents.ts';

/** An organisation in answers. */
export const organisationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string(),
    projects: z.int(),
    applications: z.int().describe('Those that are not revoked.'),
  })
  .meta({
    id: 'Organisation',
    examples: [
      {
        id: 'north-works',
        name: 'North works',
        createdAt: '2026-11-01T08:00:00Z',
        projects: 2,
        applications: 1,
      },
    ],
  });
/** An application in examples. */
export const APPLICATION = { applicationId: 'app_0123456789abcdef0123', organisation: 'default', name: 'gateway-7' };
/** A secret in examples. */
export const SECRET = 'shown-here-once';
/** An application in answers. */
export const applicationSchema = shows<ReturnType<typeof applicationDocument>>()(
  z
    .object({
      applicationId: z.string(),
      organisation: z.string(),
      name: z.string(),
      projects: z.array(z.string()).nullable().describe('The only projects it pushes to; null: all.'),
      createdAt: z.string(),
      previousSecretUntil: z
        .string()
        .nullable()
        .describe('Until then the secret before the last rotation is accepted.'),
      lastTokenAt: z.string().nullable(),
      lastRenewalAt: z.string().nullable(),
      lastPushAt: z.string().nullable(),
      pushes: z.int(),
      accepted: z.int().describe('New readings of all its pushes.'),
      duplicates: z.int(),
      revised: z.int(),
      bytes: z.int().describe('Of their bodies, after unpacking.'),
      refused24h: z.int(),
      refusedByReason24h: z.record(z.string(), z.int()),
      revokedAt: z.string().nullable(),
    })
    .meta({
      id: 'Application',
      examples: [
        {
          ...APPLICATION,
          projects: ['pump-hall'],
          createdAt: '2026-11-01T08:00:00Z',
          previousSecretUntil: null,
          lastTokenAt: '2026-11-22T08:00:00Z',
          lastRenewalAt: '2026-11-22T09:55:00Z',
          lastPushAt: '2026-11-22T10:00:00Z',
          pushes: 1400,
          accepted: 84000,
          duplicates: 60,
          revised: 0,
          bytes: 9_400_000,
          refused24h: 0,
          refusedByReason24h: {},
          revokedAt: null,
        },
      ],
    }),
);
