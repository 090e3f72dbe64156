import type { ComponentChild } from 'preact';
import { useRoute } from '../client/route.ts';
import { SourcePage } from '../source/source.tsx';
import { SourceList } from './sources.tsx';

/** The list of sources, or the one of the address. */
export function SourcePages(): ComponentChild {
  const { path } = useRoute();
  const [, organisation, name] = path;
  if (organisation === undefined || name === undefined) return <SourceList />;
  return <SourcePage key={`${organisation}/${name}`} organisation={organisation} name={name} />;
}
