-- Up Migration

-- An access token counts while the number in it is that of its application; a change of the number ends all earlier ones.
alter table application
  add column token_generation integer not null default 0,
  add column tokens_ended_at timestamptz;
create index application_tokens_ended on application (tokens_ended_at) where tokens_ended_at is not null;

-- A family ends with the secret that made it. It is not known for old families: a family from before the end of an
-- overlap gets the previous secret, so that none outlives a secret that was replaced.
alter table refresh_family add column secret_hash bytea;
update refresh_family set secret_hash = case
    when previous_secret_until is null or refresh_family.created_at >= previous_secret_until then application.secret_hash
    else previous_secret_hash end
  from application where application.id = application_id;
alter table refresh_family alter column secret_hash set not null;
