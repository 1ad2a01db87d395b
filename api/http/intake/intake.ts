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

/** Who sends what needs no credential: a person's front end (logins and the like), or the provider. */
type Anonymous = 'person' | 'provider';
type ReadBody = (req: Request, res: Response) => Promise<void>;

/** What requests hold of this process while they come, wait and are answered: bounded in all, and for each organization. */
export type Intake = {
  /**
   * Reads a body of at most `limit` bytes within the bounds of its caller. Throws `payload_too_large` when it is longer, `unavailable` when
   * there is no room for its bytes, and `bad_request` to one who has left.
   */
  read(readBody: ReadBody, limit: number, req: Request, res: Response, anonymous?: Anonymous): Promise<void>;
  /** A place for a file that is taken as it comes; given back by what is returned. Throws `unavailable`. */
  upload(req: Request, organizationId: string): Release;
  /** A place for a file that is sent as it is read; given back when the reply is over. Throws `unavailable`, `bad_request` to one who has left. */
  download(res: Response, organizationId: string): void;
  /** Room for a large reply, given back when it is over. Throws `unavailable`. */
  holdReply: HoldReply;
  /** Places of those who wait for their operation. */
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
  | 'waitsPerOrganization'
>;

/** Up to here a body is counted by what it says it is, above by what has come of it. */
const smallBody = 16 * 1024;
/** Nearly all that the provider sends is smaller. */
const smallWebhook = 64 * 1024;
/** What the server allows a request is meant for files; a JSON body is here sooner, or its sender is holding us up. */
const longestBodyMs = 60_000;
const windowMs = 5_000;
/** Of what those without a credential may hold one address has so much: a single one cannot keep logins and providers out. */
const addressesAtLeast = 4;

export function createIntake(config: Settings): Intake {
  const tenants = createByteBudget({ total: config.bodiesMaxBytes, perKey: config.bodiesOrganizationMaxBytes });
  const byAddress = (total: number) => createByteBudget({ total, perKey: total / addressesAtLeast });
  // Apart from each other: anybody may send large webhooks that look signed, and they must not keep out logins or usual webhooks.
  const logins = byAddress(config.bodiesLoginsMaxBytes);
  const smallWebhooks = byAddress(config.bodiesSmallWebhooksMaxBytes);
  const others = byAddress(config.bodiesAnonymousMaxBytes);
  const budgetFor = ({ headers }: Request, sender: Anonymous) => {
    // Counted as 1 MiB, which two of an address would fill the room for logins with.
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
  const downloads = places(
    config.downloadsPerOrganization,
    `At most ${config.downloadsPerOrganization} files of an organization are downloaded at once; try again when one has ended`,
  );

  return {
    async read(readBody, limit, req, res, sender = 'person') {
      if (!hasBody(req.headers)) return readBody(req, res);
      if (req.destroyed || hasLeft(res)) throw new AppError('bad_request', 'The body did not arrive whole');
      // The parser would read it to its end before it refuses it.
      if (Number(req.headers['content-length']) > limit) throw tooLarge();
      const caller = res.locals.caller as Caller | undefined;
      const held = caller ? tenants.hold(caller.organizationId) : budgetFor(req, sender).hold(countedClient(req));
      // Until the reply is over: what was made of the bytes lives as long.
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
    download(res, organizationId) {
      if (hasLeft(res)) throw new AppError('bad_request', 'Nobody is there any more to take the file');
      res.once('close', downloads.take(organizationId) as Release);
    },
    holdReply: createReplies(config),
    waits: places(config.waitsPerOrganization, 'Too many wait'),
  };
}

/** While we looked who calls: `close` has been told, and nothing would give back what is held until then. */
const hasLeft = (res: Response) => res.closed || res.destroyed;

const tooLarge = () => new AppError('payload_too_large', 'The body is too large');

/** Each piece is counted when it has come; what is too long or has no room ends the reading at once. */
function counted(held: Held, limit: number, readBody: ReadBody, req: Request, res: Response): Promise<void> {
  // What is packed is as large as it may be once it is unpacked; nobody knows before.
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

/** As the parser of JSON allows it (middleware/body.ts). */
const packedBody = 1024 * 1024;
