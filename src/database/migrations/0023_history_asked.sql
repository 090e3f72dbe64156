-- An operator asked for the history of the stream since its last claim: the run under way is followed by another one at once.
alter table stream add column history_asked boolean not null default false;
