-- Up Migration

-- The directory of the archive holds this id in a file, so that a directory that is not the archive, such as the place of one that is
-- not mounted, is told from it. No row: no process has found or begun an archive yet.
create table archive_place (
  single boolean primary key default true check (single),
  id uuid not null
);
