/**
 * The numbers of the advisory locks, the same in every databridge process. They stand together, because two locks of one number keep
 * each other waiting.
 */
export const LOCKS = {
  migration: 7_263_541,
  signingKey: 7_263_542,
  /** Shared by connections that use the schema; a migration takes it alone. */
  schemaUse: 7_263_543,
  /** BullMQ lets only one process upsert a scheduler at a time. */
  tick: 7_263_544,
  /** Shared by backups under way; taken alone while old partitions are dropped. */
  backup: 7_263_545,
  keyRotation: 7_263_546,
  /** One process at a time puts windows of the log together. */
  quietWindows: 7_263_547,
} as const;
