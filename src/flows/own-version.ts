import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { FlowVersion } from './flow.entity.ts';
import type { FlowRecord } from './told.ts';

type Sought = { flow_id: string; sha256: string; after: number };

const newerOf = statement((select, { flow_id, sha256, after }: Sought) =>
  select(FlowVersion)
    .select('id')
    .where('flow_id', '=', flow_id)
    .where('sha256', '=', sha256)
    .where('number', '>', after)
    .limit(1),
);

type Versioned = Pick<FlowRecord, 'id' | 'provider_version'>;

/** Is it a document of this flow, newer than what the provider is known to have? Then its upload arrived, and the answer was lost. */
export async function isOwnVersion(own: Own, { id, provider_version }: Versioned, sha256: string): Promise<boolean> {
  return (await newerOf(own, { flow_id: id, sha256, after: provider_version ?? 0 })).length > 0;
}
