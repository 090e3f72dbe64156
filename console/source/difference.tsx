import type { ComponentChild } from 'preact';
import type { Applied } from '../client/operations.ts';
import { numberOf } from '../client/zone.ts';
import { Notice } from '../parts/page.tsx';
import { reasonOf } from '../parts/reason.ts';
import { texts } from '../texts.ts';
import './source.css';

const t = texts.difference;

/** Renames that are shown; the API and the command list more. */
const RENAMES = 10;

const nameOf = ({ sensorId, valueName }: { sensorId: string; valueName: string }): string => `${sensorId} ${valueName}`;

/** What a configuration would change: its fields, and what becomes of the coverage and of names. */
export function Difference({ of }: { of: Applied }): ComponentChild {
  const { action, differences, differencesInAll, move, renames, renamesInAll, repair, namesakes, seriesOfOthers } = of;
  return (
    <div class="stack tight">
      <p>{t.actions[action]}</p>
      {differences.length > 0 && (
        <ul class="difference">
          {differences.map(({ path, before, after }) => (
            <li key={path}>
              <span>{path}</span>
              <span>
                {before !== undefined && <del aria-label={t.before}>− {before}</del>}
                {after !== undefined && <ins aria-label={t.after}>+ {after}</ins>}
              </span>
            </li>
          ))}
        </ul>
      )}
      {differencesInAll !== undefined && differencesInAll > differences.length && (
        <p class="quiet">{t.more(numberOf(differencesInAll - differences.length))}</p>
      )}
      {move.coverage === 'begins-anew' && action === 'changed' && (
        <Notice tone="warn">{t.beginsAnew(move.fields.join(', '))}</Notice>
      )}
      {renames.length > 0 && (
        <Notice tone="warn">
          {t.renames(numberOf(renamesInAll ?? renames.length))}
          <ul class="mono small">
            {renames.slice(0, RENAMES).map(({ from, to }) => (
              <li key={nameOf(from)}>
                {nameOf(from)} →{' '}
                {typeof to === 'string' ? (t.noName[to as keyof typeof t.noName] ?? reasonOf(to)) : nameOf(to)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {seriesOfOthers.map(({ owner, series }) => (
        <Notice key={owner} tone="warn">
          {t.ofOthers(owner ?? t.pushing, numberOf(series))}
        </Notice>
      ))}
      {namesakes.length > 0 && <Notice tone="warn">{t.namesakes(namesakes.join(', '))}</Notice>}
      {repair && <Notice>{t.repair(numberOf(repair.refused))}</Notice>}
    </div>
  );
}
