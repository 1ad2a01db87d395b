import { stopChannel } from '../../src/channels/change.ts';
import { storeAsset } from '../../src/media/assets.ts';
import { receivedName } from '../../src/media/file-name.ts';
import { type AssetRow, findAssetOfMessage } from '../../src/media/find.ts';
import { largestFile } from '../../src/media/kinds.ts';
import { fetchFileJob } from '../../src/messaging/files/jobs.ts';
import {
  endFetch,
  fileIdIn,
  isKeptStill,
  type ReceivedFile,
  receivedFile,
  settleFile,
  stateOf,
} from '../../src/messaging/files/received.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import { conversationLane } from '../../src/platform/ledger/locks.ts';
import { CannotOpen } from '../../src/platform/secrets.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { saysFileGone } from '../../src/providers/messaging-app/error-codes.ts';
import { type MediaStream, mediaTooLarge } from '../../src/providers/messaging-app/provider.ts';
import { handle, type RunContext } from '../handler.ts';
import type { FileOutcome } from './file-metrics.ts';

/** A channel that cannot call the provider: the file waits until somebody repairs it. */
const stoppedMs = 300_000;

type Fetched =
  | { asset: AssetRow }
  | { status: 'gone' | 'too_large'; isUnwanted?: true }
  | { stopped: string }
  | { merged: string }
  | { failure: JobError };

/** A message's asset is stored once: a second run finds the first one's. */
export const fetchFile = handle(fetchFileJob, async ({ message_id: id }, context) => {
  const [message] = await receivedFile(context.own, { id });
  if (!message || stateOf(message.content)?.status !== 'pending') return context.finish(({ own }) => endFetch(own, id));
  const fetched = await fetchOnce(context, message);
  if ('stopped' in fetched) return context.wait(stoppedMs, { reason: fetched.stopped });
  if ('merged' in fetched) return context.wait(1_000, { reason: fetched.merged });
  if ('failure' in fetched) return context.fail(fetched.failure);
  const look = async () => (await receivedFile(context.own, { id }))[0];
  const locks = (seen: ReceivedFile | undefined) => (seen ? [conversationLane(seen.conversation_id)] : []);
  const ended = await context.finishLooked({ look, locks }, ({ own }) => settleFile(own, id, fetched));
  if (ended.kind === 'done') context.fileMetrics.ended(outcomeIn(fetched));
  return ended;
});

const outcomeIn = (fetched: Extract<Fetched, { asset: AssetRow } | { status: string }>): FileOutcome =>
  'asset' in fetched ? 'stored' : fetched.isUnwanted ? 'unwanted' : fetched.status;

async function fetchOnce(context: RunContext<unknown>, message: ReceivedFile): Promise<Fetched> {
  const known = await findAssetOfMessage(context.own, message.id);
  if (known) return { asset: known };
  const mediaId = fileIdIn(message.type, message.content);
  // Without its contact, which was erased, nobody may have the file; without its channel nobody can ask for it.
  if (message.contact_id === null || message.deleted_at !== null) return { status: 'gone', isUnwanted: true };
  if (mediaId === undefined) return { status: 'gone' };
  if (isRefused(message.channel_status)) return waitFor(message, `the channel is ${message.channel_status}`);
  const accessToken = readable(context, message.access_token);
  if (accessToken === undefined) return waitFor(message, 'the access token of the channel cannot be decrypted');
  const account = { phoneNumberId: message.phone_number_id, accountId: message.account_id, accessToken };
  const take = (file: MediaStream) => store(context, message, message.contact_id!, file);
  try {
    const wanted = { mediaId, maxBytes: largestFile };
    return { asset: await context.outside(() => context.providers.messagingApp.fetchMedia(account, wanted, take)) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return withoutContact(context, message);
    if (!(error instanceof ProviderRefused && error.stopsChannel)) return outcomeOf(error);
    const channel = { id: message.channel_id, sealedToken: message.access_token };
    await stopChannel(context.transact, channel, error.stopsChannel);
    return waitFor(message, error.message);
  }
}

/** By the provider. One that somebody disconnected still takes messages, and its token is good. */
const isRefused = (status: string) => status !== 'connected' && status !== 'disconnected';

/** The contact's row went meanwhile: merged into another, which gets the file, or erased. */
async function withoutContact({ own }: RunContext<unknown>, { id }: ReceivedFile): Promise<Fetched> {
  const [message] = await receivedFile(own, { id });
  return message?.contact_id ? { merged: 'the contact was merged into another' } : { status: 'gone', isUnwanted: true };
}

function readable({ secrets }: RunContext<unknown>, sealedToken: string): string | undefined {
  try {
    return secrets.open(sealedToken);
  } catch (error) {
    if (error instanceof CannotOpen) return undefined;
    throw error;
  }
}

/** The provider drops the file in the end, whether the channel is repaired or not. */
const waitFor = (message: ReceivedFile, reason: string): Fetched =>
  isKeptStill(message) ? { stopped: reason } : { status: 'gone' };

function store(
  { own, transact, storage, config }: RunContext<unknown>,
  { id: messageId, type, content }: ReceivedFile,
  contactId: string,
  { mimeType, stream }: MediaStream,
): Promise<AssetRow> {
  const fileName = typeof content.filename === 'string' ? receivedName(content.filename) : undefined;
  return storeAsset(
    { own, transact, storage, quotaBytes: config.mediaQuotaBytes },
    {
      ...{ source: 'inbound', messageId, contactId, stream, declaredType: mimeType, fileName },
      // Sent as a document, a picture may be larger than one that was sent as a picture.
      ...((type === 'document' || isWideSticker(type, mimeType)) && { kind: 'document' }),
    },
  );
}

/** A picture in the form of stickers, which may be larger than one. */
const isWideSticker = (type: string, mimeType: string) => type === 'image' && mimeType.startsWith('image/webp');

/** What another try cannot change. Throws the rest. */
function outcomeOf(error: unknown): Fetched {
  if (error instanceof ProviderRefused && error.providerCode === mediaTooLarge) return { status: 'too_large' };
  if (error instanceof ProviderRefused && saysFileGone(error.providerCode)) return { status: 'gone' };
  if (!(error instanceof AppError)) throw error;
  switch (error.code) {
    case 'payload_too_large':
      return { status: 'too_large' };
    // Of no bytes, or above the quota: a retry by hand may pass.
    case 'invalid_request':
    case 'limit_reached':
      return { failure: { code: error.code, message: error.message } };
    default:
      throw error;
  }
}
