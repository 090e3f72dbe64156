-- Up Migration

-- The same for processes that keep the same paces of hosts (DATABRIDGE_HOST_PACES); null for those that ask no platform by themselves.
alter table worker add column host_paces text;
