// Commands that change a source load this, and not the connections to platforms behind account.ts.

/** After a refusal only a source that worked tries the credentials again for so long, if there is one. */
export const FOR_WITNESSES = "interval '2 min'";

/**
 * SQL: the source with a row of `pace` was answered before and not refused since with the account `digest` (`refused` in the state of
 * its pace names the account). It may miss a right now, but the credentials work for it or for none.
 */
export const hasWorked = (
  pace: string,
  digest: string,
): string => `(${pace}.state ->> 'refused' is distinct from ${digest}
  and exists (select from stream where stream.source_id = ${pace}.source_id and not isempty(covered)))`;
