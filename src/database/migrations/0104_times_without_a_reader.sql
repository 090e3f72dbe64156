-- Up Migration

-- Nobody read these: when a row was made, when a process started, and how many bodies a delivery took, which `/metrics` counts.
alter table ml_project drop column created_at;
alter table series drop column created_at;
alter table stream drop column created_at;
alter table remote drop column created_at;
alter table worker drop column started_at;
alter table delivery_sum drop column requests;
