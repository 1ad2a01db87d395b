import { hashInSlices } from '../../src/flows/document/hash.ts';
import { actionOf, type FlowWay } from '../../src/flows/jobs.ts';
import { moveOf } from '../../src/flows/moves.ts';
import { claimWork, type Exchanged } from '../../src/flows/outcome.ts';
import { isOwnVersion } from '../../src/flows/own-version.ts';
import { changedIn, changedMetadata, isOverwriting } from '../../src/flows/sides.ts';
import type { FlowRecord } from '../../src/flows/told.ts';
import type { ProviderFlow } from '../../src/providers/messaging-app/flow-calls.ts';
import { FlowRefused } from '../../src/providers/messaging-app/flow-refusals.ts';
import type { RunContext } from '../handler.ts';
import type { AtProvider } from './at-provider.ts';
import { databaseTime } from './database-time.ts';
import type { Conflict } from './fail-drifted.ts';
import type { Moved } from './fail-moved.ts';
import { addressFor, idOfMade, isJustMade } from './made.ts';

/** `over`: nothing is left to do. */
export type Pushed =
  | { kind: 'pushed'; exchanged: Exchanged }
  | ({ kind: 'conflict' } & Conflict)
  | ({ kind: 'moved' } & Moved)
  | { kind: 'over' };

type How = { doing: 'push' | 'publish'; way: FlowWay };

/**
 * Ours to the provider. What it has is compared first, in a repeat too: somebody may have changed it since the answer was lost. So is the
 * status: an edit may make a draft of a flow that somebody published since, of which nobody said that it may.
 */
export async function pushThere(context: RunContext<unknown>, at: AtProvider, flow: FlowRecord, how: How): Promise<Pushed> {
  const { app, account, call } = at;
  const { id, provider_flow_id: known } = flow;
  const action = actionOf(how.doing, how.way);
  const isForced = how.way.includes('force');
  const remote = known === null ? null : await hashBefore(at, known, flow, isForced);
  const changed = await changedThere(context, flow, remote);
  const isTheirs = changed === 'both' || changed === 'theirs';
  if (isTheirs && !isForced) return { kind: 'conflict', about: 'document', remote };
  const isUploaded = isTheirs || changed === 'ours';
  const change = changedMetadata(flow);
  const mayHaveArrived = changed === 'agreed' || flow.asked_at !== null;
  const isRead = known !== null && (isUploaded || change || mayHaveArrived || addressFor(context.config, flow) !== undefined);
  const read = isRead ? await readThere(context, at, known) : undefined;
  const there = read?.there;
  if (there && !isForced && isOverwriting(flow, there)) return { kind: 'conflict', about: 'metadata', remote };
  const endpointUri = there && isElsewhere(context.config, flow, there) ? addressFor(context.config, flow) : undefined;
  const metadata = endpointUri ? { ...change, endpointUri } : change;
  const exchanged: Exchanged = { sent: flow, baseSha256: remote, faults: null };
  // What an edit of ours, whose answer was lost, made of the status, and the faults of such an upload.
  if (there && mayHaveArrived) Object.assign(exchanged, { faults: there.validationErrors, ...read });
  if (!isUploaded && !metadata) return { kind: 'pushed', exchanged };
  if (there && !moveOf(there.status, action)) return { kind: 'moved', status: there.status, isNews: true };

  const status = await claimWork(context.transact, id, how.doing, flow);
  if (status === undefined) return { kind: 'over' };
  if (!moveOf(status, action)) return { kind: 'moved', status };
  const found = known ?? (await idOfMade(context, at, flow));
  if (found === undefined) return { kind: 'conflict', about: 'name', remote };
  if (metadata && (known !== null || flow.asked_at !== null)) await call(() => app.updateFlow(account, found, metadata));
  if (isUploaded) {
    const { validationErrors } = await call(() => app.uploadFlowDocument(account, found, flow.flow_json));
    exchanged.faults = validationErrors;
    exchanged.baseSha256 = await hashThere(at, found);
  }
  // An edit makes a draft of a published flow, or not, as the provider likes.
  if (flow.status !== 'draft') Object.assign(exchanged, await readThere(context, at, found));
  return { kind: 'pushed', exchanged };
}

/** With the time before it: what the provider tells since then is newer. */
async function readThere(context: RunContext<unknown>, { app, account, call }: AtProvider, id: string) {
  const readAt = await databaseTime(context);
  return { there: await call(() => app.readFlow(account, id)), readAt };
}

/** Of no document: what is there cannot be kept, and is to be replaced whatever it is. */
const unknownHash = '';

async function hashBefore(at: AtProvider, providerId: string, flow: FlowRecord, isForced: boolean): Promise<string | null> {
  try {
    return await hashThere(at, providerId, flow);
  } catch (error) {
    if (isForced && error instanceof FlowRefused && error.reason === 'unstorable') return unknownHash;
    throw error;
  }
}

/** null: the provider has no document, or of a flow that never got one of ours only what each new flow has. */
async function hashThere({ app, account, call }: AtProvider, providerId: string, flow?: FlowRecord): Promise<string | null> {
  const document = await call(() => app.downloadFlowDocument(account, providerId));
  const isNew = flow !== undefined && flow.base_sha256 === null && flow.pushed_sha256 === null;
  return document === undefined || (isNew && isJustMade(document)) ? null : hashInSlices(document);
}

/** A version of ours that is there since a lost answer is not theirs: it is kept here, and nothing is lost with it. */
async function changedThere({ own }: RunContext<unknown>, flow: FlowRecord, remote: string | null) {
  const { local_sha256: local, pushed_sha256: pushed, base_sha256: base } = flow;
  const changed = changedIn({ local, pushed, base, remote });
  const isTheirs = changed === 'both' || changed === 'theirs';
  return isTheirs && remote !== null && (await isOwnVersion(own, flow, remote)) ? 'ours' : changed;
}

/** Another server may answer a flow that was imported: it does until somebody says where Kanal is to ask. */
export function isElsewhere(config: RunContext<unknown>['config'], flow: FlowRecord, { endpointUri: theirs }: ProviderFlow) {
  const ours = addressFor(config, flow);
  return ours !== undefined && theirs !== ours;
}
