import type { PlatformFacts } from '../../src/platform/contract.ts';

/** Why a platform need not keep a rule, and the fact from which that follows. */
export interface Waiver {
  readonly because: string;
  readonly fact: keyof PlatformFacts;
}

const GONE: Waiver = {
  because:
    'a query for a series that is gone has no points and no error, so the server cannot tell it from a quiet one',
  fact: 'failsAs',
};

const REPLACED: Waiver = {
  because: 'a point with the series and time of another one replaces it',
  fact: 'sameInstant',
};

/**
 * Rules that a platform does not keep: platform → rule → reason. The tests fail for a waiver whose rule the platform
 * keeps, and for one whose platform, rule or fact does not exist, so that no waiver stays too long.
 */
export const WAIVERS: Readonly<Record<string, Readonly<Record<string, Waiver>>>> = {
  'aveva-data-hub': { 'a point that comes twice is stored once': REPLACED },
  cognite: { 'a point that comes twice is stored once': REPLACED },
  'insights-hub': { 'a point that comes twice is stored once': REPLACED },
  influxdb: {
    'a sensor that was deleted is not an empty one': GONE,
    'one sensor among many that is missing does not look empty': GONE,
    'one sensor among many that may not be read does not look empty': {
      because: 'rights are given for databases and not for series',
      fact: 'failsAs',
    },
    'one sensor among many that breaks the platform does not look empty': {
      because: 'one statement reads a measurement with all its series, so it fails as a whole',
      fact: 'sensorsPerRead',
    },
    'a page newest first, or mixed, loses nothing': {
      because: 'the question holds ORDER BY time, and the simulator has no other order',
      fact: 'order',
    },
    'a point that comes twice is stored once': REPLACED,
  },
  'skf-observer': {
    'read does not take no content for an answer': {
      because: 'a point without rows in a window is answered with 204 and no body',
      fact: 'page',
    },
  },
};
