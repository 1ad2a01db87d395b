import type { Request, Response } from 'express';
import type { Caller } from '../../../src/organizations/caller.ts';
import type { Config } from '../../../src/platform/config/config.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { createShares, type Release, type Shares } from '../../../src/platform/load/shares.ts';
import { countedClient } from '../client-address.ts';
import { createByteBudget, type Held } from './byte-budget.ts';
import { mustKeepComing } from './progress.ts';
import { createReplies, type HoldReply } from './replies.ts';
import { hasBody } from './unread.ts';

/** Senders without a credential: a person's front end (logins and the like), or the provider. */
type Anonymous = 'person' | 'provider';
type ReadBody = (req: Request, res: Response) => Promise<void>;

/** Limits what requests hold of this process, in all and per organization. */
export type Intake = {
  /** Throws `payload_too_large` beyond `limit`, `unavailable` without room, `bad_request` when the client has left. */
  read(readBody: ReadBody, limit: number, req: Request, res: Response, anonymous?: Anonymous): Promise<void>;
  /** A place for a streamed upload; call the result to release it. Throws `unavailable`. */
  upload(req: Request, organizationId: string): Release;
  /** A place for a streamed file of `key`, until the reply is over. Throws `unavailable`, `bad_request` when the client has left. */
  download(res: Response, key: string, isMedia?: boolean): void;
  /** Room for a large reply, until it is over. Throws `unavailable`. */
  holdReply: HoldReply;
  /** Places for requests that wait for their operation. */
  waits: Shares;
};

type Settings = Pick<
  Config,
  | 'bodiesMaxBytes'
  | 'bodiesOrganizationMaxBytes'
  | 'bodiesAnonymousMaxBytes'
  | 'bodiesSmallWebhooksMaxBytes'
  | 'bodiesLoginsMaxBytes'
  | 'repliesMaxBytes'
  | 'repliesOrganizationMaxBytes'
  | 'bodyMinBytesPerSecond'
  | 'uploadsPerOrganization'
  | 'downloadsPerOrganization'
  | 'mediaDownloadsPerOrganization'
  | 'waitsPerOrganization'
>;

/** Counted by Content-Length up to this size, by received bytes above it. */
const smallBody = 16 * 1024;
/** Nearly all of the provider's webhooks are smaller. */
const smallWebhook = 64 * 1024;
/** The server's own limit is for files; a JSON body must be faster. */
const longestBodyMs = 60_000;
const windowMs = 5_000;
/** One address may hold at most this fraction, so that it cannot keep out logins or the provider. */
const addressesAtLeast = 4;

export function createIntake(config: Settings): Intake {
  const tenants = createByteBudget({ total: config.bodiesMaxBytes, perKey: config.bodiesOrganizationMaxBytes });
  const byAddress = (total: number) => createByteBudget({ total, perKey: total / addressesAtLeast });
  // Separate budgets: anybody may send large webhooks that look signed; these must not keep out logins or usual webhooks.
  const logins = byAddress(config.bodiesLoginsMaxBytes);
  const smallWebhooks = byAddress(config.bodiesSmallWebhooksMaxBytes);
  const others = byAddress(config.bodiesAnonymousMaxBytes);
  const budgetFor = ({ headers }: Request, sender: Anonymous) => {
    // Counted as 1 MiB: two from one address would fill the room for logins.
    if (headers['content-encoding'] !== undefined) return others;
    if (sender === 'person') return logins;
    return Number(headers['content-length']) <= smallWebhook ? smallWebhooks : others;
  };
  const pace = { bytesPerSecond: config.bodyMinBytesPerSecond, windowMs, longestMs: longestBodyMs };
  const places = (perKey: number, refusal: string) => createShares({ perKey, maxWaiting: 0, waitMs: 0, refusal });
  const uploads = places(
    config.uploadsPerOrganization,
    `At most ${config.uploadsPerOrganization} files of an organization are uploaded at once; try again when one is there`,
  );
  const downloadsOf = (perKey: number) =>
    places(perKey, `At most ${perKey} files of an organization are downloaded at once; try again when one has ended`);
  const downloads = downloadsOf(config.downloadsPerOrganization);
  // Small, and many on one page of a team's inbox.
  const mediaDownloads = downloadsOf(config.mediaDownloadsPerOrganization);

  return {
    async read(readBody, limit, req, res, sender = 'person') {
      if (!hasBody(req.headers)) return readBody(req, res);
      if (req.destroyed || hasLeft(res)) throw new AppError('bad_request', 'The body did not arrive whole');
      // The parser would read it to the end before refusing it.
      if (Number(req.headers['content-length']) > limit) throw tooLarge();
      const caller = res.locals.caller as Caller | undefined;
      const held = caller ? tenants.hold(caller.organizationId) : budgetFor(req, sender).hold(countedClient(req));
      // Until the reply is over: what the bytes were parsed into lives as long.
      res.once('close', held.release);
      const isSmall = Number(req.headers['content-length']) <= smallBody && req.headers['content-encoding'] === undefined;
      if (isSmall) held.add(Number(req.headers['content-length']));
      const arrived = mustKeepComing(req, pace);
      try {
        await (isSmall ? readBody(req, res) : counted(held, limit, readBody, req, res));
      } finally {
        arrived();
      }
    },
    upload(req, organizationId) {
      const release = uploads.take(organizationId) as Release;
      const arrived = mustKeepComing(req, { ...pace, longestMs: Number.POSITIVE_INFINITY });
      return () => {
        arrived();
        release();
      };
    },
    download(res, key, isMedia = false) {
      if (hasLeft(res)) throw new AppError('bad_request', 'Nobody is there any more to take the file');
      res.once('close', (isMedia ? mediaDownloads : downloads).take(key) as Release);
    },
    holdReply: createReplies(config),
    waits: places(config.waitsPerOrganization, 'Too many wait'),
  };
}

/** `close` was emitted during authentication, so nothing would release what is held now. */
const hasLeft = (res: Response) => res.closed || res.destroyed;

const tooLarge = () => new AppError('payload_too_large', 'The body is too large');

/** Counts each chunk on arrival; one too many ends the reading at once. */
function counted(held: Held, limit: number, readBody: ReadBody, req: Request, res: Response): Promise<void> {
  // The unpacked size is not known in advance: count the maximum.
  const isPacked = req.headers['content-encoding'] !== undefined;
  if (isPacked) held.add(packedBody);
  return new Promise((resolve, reject) => {
    let come = 0;
    const count = ({ length }: Buffer) => {
      try {
        come += length;
        if (come > limit) throw tooLarge();
        if (!isPacked) held.add(length);
      } catch (error) {
        req.unpipe();
        req.removeAllListeners('data');
        held.release();
        reject(error);
      }
    };
    readBody(req, res)
      .then(resolve, reject)
      .finally(() => req.off('data', count));
    req.on('data', count);
  });
}

/** The JSON parser's limit (middleware/body.ts). */
const packedBody = 1024 * 1024;
