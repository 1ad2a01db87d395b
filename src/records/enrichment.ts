import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Values } from './types/values.ts';

/** SQL: the fields of one source are joined, whoever wrote them first. */
const note = `
  insert into record_enrichments as e (organization_id, record_id, source, fields)
  values ($1, $2, $3, $4)
  on conflict (organization_id, record_id, source)
  do update set fields = array(select distinct f from unnest(e.fields || excluded.fields) f order by f),
                at = clock_timestamp()`;

/** What a source has given a record, also where it says what the record has already. Needs the record's lock. */
export async function noteEnrichment(
  tx: OwnTx,
  recordId: string,
  { enrichment, fields = {}, custom_fields = {} }: { enrichment?: { source: string }; fields?: Values; custom_fields?: Values },
): Promise<void> {
  if (!enrichment) return;
  const names = [...Object.keys(fields), ...Object.keys(custom_fields).map((key) => `custom_fields.${key}`)].sort();
  await tx.sql(note, [recordId, enrichment.source, names]);
}
