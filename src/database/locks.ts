/**
 * The numbers of the advisory locks, the same in every databridge process. They stand together, because two locks of one number keep
 * each other waiting.
 */
export const LOCKS = {
  migration: 7_263_541,
  signingKey: 7_263_542,
  /** Connections that use the schema share it; a migration takes it alone. */
  schemaUse: 7_263_543,
  /** Backups under way share it; the process that drops old partitions of the log takes it alone. */
  backup: 7_263_545,
  keyRotation: 7_263_546,
  /** The process that puts windows of the log together takes it alone. */
  quietWindows: 7_263_547,
  /** The process that writes the alerts takes it alone. */
  alerts: 7_263_548,
  /** The process that counts requests by hour takes it alone. */
  requestHours: 7_263_549,
  /** With a number made of project and day: the process that moves the day takes it alone. */
  archive: 7_263_550,
  /** The move that notes its file in the manifest takes it alone until it has committed. */
  archiveNote: 7_263_551,
  /** With the number of a project: the process that removes its old readings takes it alone. */
  retention: 7_263_552,
} as const;
