-- When a source was last linked to the account or a configuration with it changed. An account without a source is kept for a while,
-- because a source has none between a change and its next run.
alter table account add column used_at timestamptz not null default now();
