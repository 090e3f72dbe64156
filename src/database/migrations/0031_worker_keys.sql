-- The ids of the sealing keys that a process has. A rotation of the key waits until all processes have the new one.
alter table worker add column kids text[];
