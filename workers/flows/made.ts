import { hashInSlices } from '../../src/flows/document/hash.ts';
import { exchangeAddress } from '../../src/flows/exchange/address.ts';
import { recordId } from '../../src/flows/outcome.ts';
import { isOwnVersion } from '../../src/flows/own-version.ts';
import { ownerless } from '../../src/flows/ownerless.ts';
import type { FlowRecord } from '../../src/flows/told.ts';
import { FlowRefused } from '../../src/providers/messaging-app/flow-refusals.ts';
import type { RunContext } from '../handler.ts';
import type { AtProvider } from './at-provider.ts';

/**
 * Where the provider asks for the data of a flow with an endpoint. Undefined: it asks none, or we have no address, or nobody said where Kanal is to ask
 * (another server may answer it). Without an address the provider refuses to publish; with ours each phone would get an error.
 */
export const addressFor = (
  config: RunContext<unknown>['config'],
  { data_api_version, data_exchange_url, channel_id }: FlowRecord,
) => (data_api_version && data_exchange_url !== null && channel_id ? exchangeAddress(config, channel_id) : undefined);

/** One that an earlier run may have made is looked for by the name it was given. Undefined: the draft of this name is another. */
export async function idOfMade(context: RunContext<unknown>, at: AtProvider, flow: FlowRecord): Promise<string | undefined> {
  const { app, account, call } = at;
  const { name, categories } = flow;
  const isRepeat = flow.asked_at !== null;
  let found = isRepeat ? await findMade(context, at, flow) : undefined;
  if (found === undefined) {
    const asked = isRepeat
      ? { name: flow.pushed_name ?? name, categories: flow.pushed_categories ?? categories }
      : { name, categories };
    try {
      const endpointUri = addressFor(context.config, flow);
      const { id } = await call(() => app.createFlow(account, { ...asked, ...(endpointUri && { endpointUri }) }));
      found = { id, isOurs: true };
    } catch (error) {
      // Another run of this job was faster.
      const isTaken = isRepeat && error instanceof FlowRefused && error.reason === 'name_taken';
      found = isTaken ? await findMade(context, at, flow) : undefined;
      if (found === undefined) throw error;
    }
  }
  if (!found.isOurs) return undefined;
  await recordId(context.transact, flow.id, found.id);
  return found.id;
}

/** `isOurs`: nothing speaks against it. */
export type Made = { id: string; isOurs: boolean };

/** A draft of the flow's name that no other flow of ours is. Its document tells whether somebody else made it: ours has none, or one of this flow. */
export async function findMade(context: RunContext<unknown>, at: AtProvider, flow: FlowRecord): Promise<Made | undefined> {
  const { app, account, call } = at;
  const named = await call(() => app.findFlows(account, flow.pushed_name ?? flow.name));
  const drafts = named.filter(({ status }) => status === 'draft').map(({ id }) => id);
  const [id] = await ownerless(context.own, drafts);
  if (id === undefined) return undefined;
  const document = await call(() => app.downloadFlowDocument(account, id));
  if (isJustMade(document)) return { id, isOurs: true };
  return { id, isOurs: await isOwnVersion(context.own, flow, await hashInSlices(document)) };
}

type Shape = { screens?: { id?: unknown; layout?: { children?: { type?: unknown; text?: unknown }[] } }[] };

/**
 * Undefined, or the greeting that some accounts' new flows have: in the provider's own example one screen of a heading and a button. No page
 * of it says what a new flow has, a reseller's says "default flow.json".
 */
export function isJustMade(document: unknown): boolean {
  if (document === undefined) return true;
  const screens = (document as Shape | null)?.screens;
  if (!Array.isArray(screens) || screens.length !== 1 || screens[0]?.id !== 'WELCOME_SCREEN') return false;
  const children = screens[0].layout?.children;
  if (!Array.isArray(children) || children.length !== 2) return false;
  return children[0]?.type === 'TextHeading' && children[0].text === 'Hello World' && children[1]?.type === 'Footer';
}
