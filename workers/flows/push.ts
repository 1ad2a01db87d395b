import { hashInSlices } from '../../src/flows/document/hash.ts';
import { exchangeAddress } from '../../src/flows/exchange/address.ts';
import { claimWork, type Exchanged, recordId } from '../../src/flows/outcome.ts';
import { ownerless } from '../../src/flows/ownerless.ts';
import { changedIn } from '../../src/flows/sides.ts';
import type { FlowRecord } from '../../src/flows/told.ts';
import type { ProviderFlow } from '../../src/providers/messaging-app/flow-calls.ts';
import { FlowRefused } from '../../src/providers/messaging-app/flow-refusals.ts';
import type { RunContext } from '../handler.ts';
import type { AtProvider } from './at-provider.ts';

/** `over`: nothing is left to do. */
export type Pushed = { kind: 'pushed'; exchanged: Exchanged } | { kind: 'conflict'; remote: string | null } | { kind: 'over' };

type How = { doing: 'push' | 'publish'; isForced: boolean };

/**
 * Ours to the provider. What it has is compared first, unless an earlier run may have uploaded ours already: the upload is repeated then, as
 * nobody could tell whose the document is.
 */
export async function pushThere(context: RunContext<unknown>, at: AtProvider, flow: FlowRecord, how: How): Promise<Pushed> {
  const { app, account, call } = at;
  const { id, provider_flow_id: known, local_sha256: local, pushed_sha256: pushed, base_sha256: base } = flow;
  // One that was made and got no document of ours yet has nothing to lose.
  const isCompared = known !== null && flow.asked_at === null && (base !== null || pushed !== null);
  const remote = isCompared ? await hashThere(at, known) : null;
  const changed = isCompared ? changedIn({ local, pushed, base, remote }) : 'ours';
  const isTheirs = changed === 'both' || changed === 'theirs';
  if (isTheirs && !how.isForced) return { kind: 'conflict', remote };
  const isUploaded = isTheirs || changed === 'ours';
  const metadata = await changedMetadata(context, at, flow);
  const exchanged: Exchanged = { sent: flow, baseSha256: remote, faults: null };
  if (!isUploaded && !metadata) return { kind: 'pushed', exchanged };

  if (!(await claimWork(context.transact, id, how.doing, flow))) return { kind: 'over' };
  const found = known ?? (await idOfMade(context, at, flow));
  if (metadata && (known !== null || flow.asked_at !== null)) await call(() => app.updateFlow(account, found, metadata));
  if (isUploaded) {
    const { validationErrors } = await call(() => app.uploadFlowDocument(account, found, flow.flow_json));
    exchanged.faults = validationErrors;
    exchanged.baseSha256 = await hashThere(at, found);
  }
  // An edit makes a draft of a published flow, or not, as the provider likes.
  if (flow.status !== 'draft') exchanged.there = await call(() => app.readFlow(account, found));
  return { kind: 'pushed', exchanged };
}

/** null: the provider has no document. */
async function hashThere({ app, account, call }: AtProvider, providerId: string): Promise<string | null> {
  const document = await call(() => app.downloadFlowDocument(account, providerId));
  return document === undefined ? null : hashInSlices(document);
}

async function changedMetadata({ config }: RunContext<unknown>, { app, account, call }: AtProvider, flow: FlowRecord) {
  const { name, categories, provider_flow_id: known } = flow;
  const ours = addressFor(config, flow);
  const change = {
    ...(name !== flow.pushed_name && { name }),
    ...(categories.join() !== flow.pushed_categories?.join() && { categories }),
  };
  const there = known !== null && ours !== undefined ? await call(() => app.readFlow(account, known)) : undefined;
  if (there && isElsewhere(config, flow, there)) return { ...change, endpointUri: ours };
  return Object.keys(change).length > 0 ? change : undefined;
}

/** Another server may answer a flow that was imported: it does until somebody says where Kanal is to ask. */
export function isElsewhere(config: RunContext<unknown>['config'], flow: FlowRecord, { endpointUri: theirs }: ProviderFlow) {
  const ours = addressFor(config, flow);
  return ours !== undefined && theirs !== ours && (theirs === '' || flow.data_exchange_url !== null);
}

/** Where the provider asks for the data of a flow with an endpoint. Undefined: it asks none, or we have no address. */
const addressFor = (config: RunContext<unknown>['config'], { data_api_version, channel_id }: FlowRecord) =>
  data_api_version && channel_id ? exchangeAddress(config, channel_id) : undefined;

/** One that an earlier run may have made is looked for by the name it was given. */
async function idOfMade(context: RunContext<unknown>, at: AtProvider, flow: FlowRecord): Promise<string> {
  const { app, account, call } = at;
  const { name, categories } = flow;
  const isRepeat = flow.asked_at !== null;
  const lookUp = () => findMade(context, at, flow.pushed_name ?? name);
  let found = isRepeat ? await lookUp() : undefined;
  if (found === undefined) {
    const asked = isRepeat
      ? { name: flow.pushed_name ?? name, categories: flow.pushed_categories ?? categories }
      : { name, categories };
    try {
      const endpointUri = addressFor(context.config, flow);
      found = (await call(() => app.createFlow(account, { ...asked, ...(endpointUri && { endpointUri }) }))).id;
    } catch (error) {
      // Another run of this job was faster.
      const isTaken = isRepeat && error instanceof FlowRefused && error.reason === 'name_taken';
      found = isTaken ? await lookUp() : undefined;
      if (found === undefined) throw error;
    }
  }
  await recordId(context.transact, flow.id, found);
  return found;
}

/** A draft of this name that no other flow of ours is. */
export async function findMade(
  { own }: RunContext<unknown>,
  { app, account, call }: AtProvider,
  name: string,
): Promise<string | undefined> {
  const drafts = (await call(() => app.findFlows(account, name))).filter(({ status }) => status === 'draft');
  const [free] = await ownerless(
    own,
    drafts.map(({ id }) => id),
  );
  return free;
}
