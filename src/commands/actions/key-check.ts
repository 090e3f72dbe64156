/** The text whose keyed hash tells one sealing key from another in a backup. */
export const KEY_CHECK = 'databridge backup';
