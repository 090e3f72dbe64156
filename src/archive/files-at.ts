import type { ArchivePlace } from '../database/archive-place.ts';
import { directoryFiles } from './directory.ts';
import { bucketName } from './files.ts';
import type { ArchiveFiles } from './files.ts';

const places = new WeakMap<ArchivePlace, Promise<ArchiveFiles>>();

/** The files of a place. The client of buckets is loaded with the first one that is a bucket. */
export async function archiveFilesAt(place: ArchivePlace): Promise<ArchiveFiles> {
  const { bucket, directory } = place;
  if (bucket === undefined) return directoryFiles(directory);
  let files = places.get(place);
  if (files === undefined) {
    files = import('./bucket.ts').then(({ bucketFiles }) => bucketFiles(bucket, directory));
    places.set(place, files);
  }
  return await files;
}

/** The place in words, for messages. */
export const placeName = ({ directory, bucket }: ArchivePlace): string =>
  bucket === undefined ? directory : bucketName(bucket);
