/** The tables of a backup, each after the tables that its foreign keys name. A test compares them with the migrations. */
export const BACKED_UP = [
  'organisation',
  'ml_project',
  'application',
  'application_use',
  'source',
  'stream',
  'work',
  'pace',
  'token',
  'account',
  'series',
  'series_name',
  'freshness',
  'muted_sensor',
  'series_hour',
  'held_name',
  'renamed_name',
  'label_set',
  'reading',
  'archived_day',
  'archive_place',
  'unreadable',
  'backfill',
  'backfill_stream',
  'backfill_day',
  'window_log',
  'window_sum',
  'request_hour',
  'sealing',
  'signing_key',
  'refresh_family',
  'refresh_token',
  'remote',
  'remote_token',
  'outbox',
  'delivery_sum',
  'refusal',
  'refusal_count',
  'refused_hour',
  'hand_over',
  'former_configuration',
  'operator_account',
  'operator_token',
  'audit',
  'alert',
  'alert_target',
  'alert_notice',
] as const;

/**
 * Presence and memory of processes, the paces of hosts, and events that operators watch, because no process of the old place works on
 * the restored database and none of its requests is under way. Sessions, links and remembered requests of operators, because a restored
 * one might have been ended since. Counts of attempts, which end by themselves.
 */
export const LEFT_OUT = [
  'worker',
  'heartbeat',
  'host_pace',
  'memory',
  'event',
  'event_epoch',
  'operator_session',
  'operator_link',
  'idempotent_request',
  'attempt',
] as const;

/** Frees what processes of the old place held, in the newest schema. */
export const RELEASE_CLAIMS = `
  truncate event;
  update work set claimed_by = null, sent_at = null where claimed_by is not null or sent_at is not null;
  update remote set claimed_by = null where claimed_by is not null;
  update token set replacing_until = null where replacing_until is not null;
  update remote_token set replacing_until = null where replacing_until is not null;
  update alert_target set claimed_by = null where claimed_by is not null;
  update account set probe = null, probe_until = null where probe is not null;
  update pace set leases = '[]'`;

/** Settings of a transaction that copies: every value as exact text that each PostgreSQL reads, and no limit of time. */
export const AS_TEXT = `
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex';
  set local client_encoding = 'UTF8';
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local transaction_timeout = 0`;
