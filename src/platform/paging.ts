/** Loops over the pages of an answer that cannot be written wrongly; adapters/README.md says which one fits. */
export { byCursor } from './paging/by-cursor.ts';
export { byLink } from './paging/by-link.ts';
export { byOffset } from './paging/by-offset.ts';
export { byTime } from './paging/by-time.ts';
