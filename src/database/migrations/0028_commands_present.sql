-- A command that asks a platform beside the workers is present while it runs, because its leases count only then. It polls nothing.
alter table worker add column polls boolean not null default true;
