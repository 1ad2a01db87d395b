import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type DataExchangeChange, dataExchangeColumns } from './data-exchange.ts';
import { Flow, type FlowCategory, FlowVersion } from './flow.entity.ts';
import { type FlowRow, getFlow } from './flow-row.ts';
import { type GivenDocument, jsonBuilder, newDocument } from './given-document.ts';
import { keepVersion } from './keep-version.ts';
import { refuseTakenName } from './refusals.ts';
import { channelColumns, documentColumns } from './write.ts';

export const maxFlows = 1_000;

/** SQL: a row lock on the organization, so that concurrent requests cannot exceed `maxFlows`; the count is of a later snapshot. */
const holdOrganization = `
  select 1
    from organizations
   where id = $1
     for no key update`;

const countFlows = statement((select) => select(Flow).select(({ fn }) => fn.countAll<string>().as('total')));

/** Throws 422. */
export async function assertRoom(own: OwnTx): Promise<void> {
  await own.sql(holdOrganization);
  const [counted] = await countFlows(own, {});
  if (Number(counted!.total) >= maxFlows) throw new AppError('limit_reached', `An organization has at most ${maxFlows} flows`);
}

/** What a flow has that the provider has not seen. */
export const local = {
  provider_flow_id: null,
  provider_version: null,
  pushed_sha256: null,
  pushed_name: null,
  pushed_categories: null,
  base_sha256: null,
  drift: null,
  doing: null,
  asked_at: null,
  failure: null,
  preview_url: null,
  preview_expires_at: null,
  published_at: null,
  synced_at: null,
  status_at: null,
  told_at: null,
  heard_at: null,
} as const;

export type NewFlow = GivenDocument & {
  name: string;
  category: FlowCategory;
  channel_id?: string | null;
  data_exchange?: DataExchangeChange;
};

const noExchange = { data_exchange_url: null, data_exchange_headers: null };

/** A draft that the provider does not have. Throws 404 for its channel, 409 for a name that its account has, 422. */
export async function createFlow(own: OwnTx, actor: string, given: NewFlow, secrets: Secrets): Promise<FlowRow> {
  const { name, category, channel_id = null, data_exchange = null } = given;
  const id = uuidv7();
  const document = await newDocument(given, { id, name });
  await assertRoom(own);
  const row = {
    id,
    name,
    category,
    categories: [category],
    ...(await channelColumns(own, channel_id)),
    ...dataExchangeColumns(data_exchange, noExchange, secrets),
    ...documentColumns(document),
  };
  await own.insert(Flow, { ...local, ...row }).catch(refuseTakenName);
  await keepVersion(own, id, { ...document, why: 'create', actor });
  return getFlow(own, id);
}

const askedInVersion = statement((select, { flowId, number }: { flowId: string; number: number }) =>
  select(FlowVersion).select(['labels', 'screens']).where('flow_id', '=', flowId).where('number', '=', number),
);

export type Clone = { name: string; channel_id?: string | null };

/** Its present document under another name; a channel that is not named is that of the source. Throws as `createFlow`. */
export async function cloneFlow(own: OwnTx, actor: string, sourceId: string, { name, channel_id }: Clone): Promise<FlowRow> {
  const source = await getFlow(own, sourceId);
  const [version] = await askedInVersion(own, { flowId: source.id, number: source.version });
  await assertRoom(own);
  const id = uuidv7();
  const { mode } = source.builder_json;
  const row = {
    id,
    name,
    category: source.category,
    categories: source.categories,
    ...(await channelColumns(own, channel_id === undefined ? source.channel_id : channel_id)),
    data_exchange_url: source.data_exchange_url,
    data_exchange_headers: source.data_exchange_headers,
    builder_json: mode === 'json' ? jsonBuilder(id, name) : source.builder_json,
    builder_version: source.builder_version,
    flow_json: source.flow_json,
    json_version: source.json_version,
    data_api_version: source.data_api_version,
    faults: source.faults,
    local_sha256: source.local_sha256,
  };
  await own.insert(Flow, { ...local, ...row }).catch(refuseTakenName);
  await keepVersion(own, id, { ...version!, why: 'clone', actor });
  return getFlow(own, id);
}
