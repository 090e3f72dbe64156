-- Up Migration

-- Names of sources are unique in their organisation. A source stays in its organisation, and its project is one of it.
alter table ml_project add unique (organisation_id, id);
alter table source add column organisation_id text not null default 'default';
update source set organisation_id = ml_project.organisation_id from ml_project where ml_project.id = project_id;
alter table source drop constraint source_name_key, add unique (organisation_id, name),
  add foreign key (organisation_id, project_id) references ml_project (organisation_id, id);
