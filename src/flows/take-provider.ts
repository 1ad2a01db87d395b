import { type SqlBool, sql } from 'kysely';
import { now } from '../platform/database/columns.ts';
import { statement } from '../platform/database/statement.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { ProviderFlow } from '../providers/messaging-app/flow-calls.ts';
import type { FlowJson } from './document/flow-json.ts';
import { readFlow } from './document/read.ts';
import { Flow } from './flow.entity.ts';
import { flowToChange } from './flow-row.ts';
import { jsonBuilder, type NewDocument } from './given-document.ts';
import { inspectDocument } from './inspect.ts';
import { providerMayMove } from './moves.ts';
import { duringWork, faultOf } from './outcome.ts';
import { changedIn, isOverwriting } from './sides.ts';
import { type FlowRecord, setStatus } from './told.ts';
import { type VersionBound, writeDocument } from './write.ts';

/** `readAt`: the database's time before the provider was asked. `document`: null where it has none. */
export type Read = { flow: ProviderFlow; document: NewDocument | null; readAt: string };

/** Everything that is stored with it. One that the builder cannot show stays as it is, in mode json. */
export async function documentOf(flowJson: unknown, { id, name }: { id: string; name: string }): Promise<NewDocument> {
  const builder = readFlow(flowJson, { id, name });
  const jsonVersion = String((flowJson as FlowJson)?.version ?? '');
  const inspected = await inspectDocument(flowJson as FlowJson, { jsonVersion, ...(builder && { builder }) });
  return { ...inspected, builder_json: builder ?? jsonBuilder(id, name) };
}

export type Taken = 'taken' | 'conflict';

/**
 * What is safe to take, or with `isTaking` all. Where both sides changed only the status is, which the provider alone decides. The same again writes nothing
 * more. Undefined: nothing is left to do.
 */
export const takeFromProvider = (
  transact: TenantTransact,
  { id, isTaking }: { id: string; isTaking: boolean },
  read: Read,
  bound: VersionBound,
) =>
  duringWork(transact, { id, doing: 'sync' }, async (own, flow): Promise<Taken> => {
    const remote = read.document?.sha256 ?? null;
    const changed = changedIn({ local: flow.local_sha256, pushed: flow.pushed_sha256, base: flow.base_sha256, remote });
    if (changed === 'both' && !isTaking) {
      takeStatusRead(own, flow, read);
      return 'conflict';
    }
    await takeMetadata(own, flow, read, isTaking);
    const isWanted = changed === 'theirs' || (isTaking && changed !== 'nothing');
    await own.flush();
    if (read.document && isWanted && remote !== flow.local_sha256) {
      const head = await flowToChange(own, id);
      await writeDocument(own, head, read.document, { why: 'sync', actor: '' }, bound);
      flow.provider_version = head.version + 1;
    } else if (changed === 'agreed') flow.provider_version = flow.version;
    // After `taken` and `agreed` both sides have the same; a document that went there is a local change.
    if (remote === null) flow.pushed_sha256 = null;
    else if (isWanted || changed === 'agreed') flow.pushed_sha256 = remote;
    flow.base_sha256 = remote;
    return 'taken';
  });

const othersOfName = statement((select, { id, account_id, name }: { id: string; account_id: string | null; name: string }) =>
  select(Flow)
    .select('id')
    .where('account_id', '=', account_id)
    .where(sql<SqlBool>`lower(name) = lower(${name})`)
    .where('id', '!=', id)
    .limit(1),
);

/** By a draft of ours that the provider does not have. */
const isNameTaken = async (own: OwnTx, { id, account_id, name }: Pick<FlowRecord, 'id' | 'account_id' | 'name'>) =>
  (await othersOfName(own, { id, account_id, name })).length > 0;

async function takeMetadata(own: OwnTx, flow: FlowRecord, read: Read, isTaking: boolean): Promise<void> {
  const { flow: there } = read;
  // Where both sides changed them somebody must decide: the next push is a conflict, again, and `drift` stays.
  if (isTaking || !isOverwriting(flow, there)) await takeNames(own, flow, there, isTaking);
  flow.provider_faults = there.validationErrors.map(faultOf);
  flow.preview_url = there.previewUrl;
  flow.preview_expires_at = there.previewExpiresAt?.toISOString() ?? null;
  flow.synced_at = now();
  takeStatusRead(own, flow, read);
}

/** A name or category that was changed here stays, as a local change, unless the provider's is wanted. */
async function takeNames(own: OwnTx, flow: FlowRecord, { name, categories }: ProviderFlow, isTaking: boolean): Promise<void> {
  const isNameWanted = name !== flow.name && (isTaking || flow.name === flow.pushed_name);
  if (isNameWanted && !(await isNameTaken(own, { ...flow, name }))) flow.name = name;
  if (isTaking || flow.categories.join() === flow.pushed_categories?.join()) {
    flow.categories = categories;
    flow.category = categories[0] ?? flow.category;
  }
  flow.pushed_name = name;
  flow.pushed_categories = categories;
  flow.drift = null;
}

/** Its times are whole seconds. */
const secondMs = 1_000;

/** What the provider told meanwhile is newer than what was read. */
function takeStatusRead(own: OwnTx, flow: FlowRecord, { flow: there, readAt }: Read): void {
  const isOlder = Date.parse(flow.status_at ?? '') > Date.parse(readAt);
  if (isOlder || !providerMayMove(flow.status, there.status)) return;
  const told = Date.parse(flow.told_at ?? '');
  if (!(told >= Date.parse(readAt))) flow.told_at = readAt;
  // Its clock is ahead of ours, so that a copy of what it told last would look newer than what was read.
  else if (there.status !== flow.status) flow.told_at = new Date(told + secondMs).toISOString();
  setStatus(own, flow, there.status);
}
