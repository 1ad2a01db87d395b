import { readChannel } from '../../channels/queries.ts';
import { fromNow, now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { nowDate } from '../../platform/time/clock.ts';
import { enqueue } from '../ask.ts';
import { FlowKey, type flowKeyStates } from '../key.entity.ts';
import { holdChannel } from '../write.ts';
import type { newKeyPair } from './crypto.ts';
import { uploadFlowKeyJob } from './key-job.ts';

/** Phones keep the public key; one that meets a 421 fetches it again. */
const overlapHours = 24;

/** Of the rotations of a channel: their lane, and its lock. */
export const flowKeyLane = (channelId: string) => `flow-key:${channelId}`;

export type FlowEncryption = {
  channel_id: string;
  isRotating: boolean;
  /** null: the provider was given none. */
  publicKey: string | null;
  uploadedAt: string | null;
  /** Until then the key before decrypts too. */
  previousUntil: string | null;
};

const keysOf = statement((select, { channelId }: { channelId: string }) =>
  select(FlowKey).select(['state', 'public_key', 'uploaded_at', 'expires_at']).where('channel_id', '=', channelId),
);

/** Throws 404. */
export async function readFlowEncryption(own: Own, channelId: string): Promise<FlowEncryption> {
  await readChannel(own, channelId);
  const keys = await keysOf(own, { channelId });
  const of = (state: (typeof flowKeyStates)[number]) => keys.find((key) => key.state === state);
  const previousUntil = of('previous')?.expires_at ?? null;
  return {
    channel_id: channelId,
    isRotating: of('uploading') !== undefined,
    publicKey: of('current')?.public_key ?? null,
    uploadedAt: of('current')?.uploaded_at ?? null,
    previousUntil: previousUntil !== null && new Date(previousUntil) > nowDate() ? previousUntil : null,
  };
}

const liveUpload = statement((select, { channelId }: { channelId: string }) =>
  select(Job)
    .select('id')
    .where('subject_id', '=', channelId)
    .where('name', '=', uploadFlowKeyJob.name)
    .where('state', 'in', ['blocked', 'waiting', 'queued']),
);

type Pair = Awaited<ReturnType<typeof newKeyPair>>;

/**
 * The operation's id: the one under way, however often it is asked for. A key whose upload failed is uploaded again in place of `pair`: the
 * provider may have it. Needs the lane's lock. Throws 404, 409.
 */
export async function requestRotation(own: OwnTx, channelId: string, pair: Pair, secrets: Secrets): Promise<string> {
  own.assertLocked(flowKeyLane(channelId));
  const [live] = await liveUpload(own, { channelId });
  if (live) return live.id;
  const { status, account_id: accountId } = await holdChannel(own, channelId);
  if (status !== 'connected') throw new AppError('conflict', `The channel is not connected: it is ${status}`);
  const left = await uploadingKey(own, channelId);
  if (!left) {
    const { privateKey, publicKey } = pair;
    const sealed = secrets.seal(privateKey);
    await own.insert(FlowKey, { channel_id: channelId, state: 'uploading', private_key: sealed, public_key: publicKey });
  }
  return enqueue(own, uploadFlowKeyJob, { channel_id: channelId }, { lane: flowKeyLane(channelId), accountId });
}

const keyToUpload = statement((select, { channelId }: { channelId: string }) =>
  select(FlowKey).select(['id', 'public_key']).where('channel_id', '=', channelId).where('state', '=', 'uploading'),
);

export async function uploadingKey(own: Own, channelId: string): Promise<{ id: string; public_key: string } | undefined> {
  const [row] = await keyToUpload(own, { channelId });
  return row;
}

/** The provider has it: the key before decrypts for a while. Needs the lane's lock; twice is once. */
export async function settleUploaded(own: OwnTx, channelId: string, id: string): Promise<void> {
  own.assertLocked(flowKeyLane(channelId));
  const uploaded = await own.findOne(FlowKey, { id, state: 'uploading' });
  if (!uploaded) return;
  await own.delete(FlowKey, { channel_id: channelId, state: 'previous' });
  const overlap = { state: 'previous' as const, expires_at: fromNow(overlapHours, 'hour') };
  await own.update(FlowKey, { channel_id: channelId, state: 'current' }, overlap);
  Object.assign(uploaded, { state: 'current', uploaded_at: now(), updated_at: now() });
  await own.flush();
}

/** As PEM is compared: the provider may break its lines otherwise. */
export const isSameKey = (one: string, other: string | null) => other !== null && bare(one) === bare(other);
const bare = (pem: string) => pem.replace(/\s+/g, '');
