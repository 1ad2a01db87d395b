import type { Response } from 'express';
import type { Caller } from '../../../src/organizations/caller.ts';
import type { Config } from '../../../src/platform/config/config.ts';
import { countedClient } from '../client-address.ts';
import { createByteBudget } from './byte-budget.ts';

/** Counts a reply that is about to be sent until it is over. Throws `unavailable` when there is no room for it. */
export type HoldReply = (res: Response, bytes: number) => void;

/** Smaller replies are not counted: what a connection costs anyway is about as much. */
const smallReply = 64 * 1024;

/** A client that asks for large pages and does not read them leaves them in memory until its connections are cut. */
export function createReplies(config: Pick<Config, 'repliesMaxBytes' | 'repliesOrganizationMaxBytes'>): HoldReply {
  const perKey = config.repliesOrganizationMaxBytes;
  const budget = createByteBudget({
    total: config.repliesMaxBytes,
    perKey,
    refusal: 'Too many bytes of replies that are not read yet; try again',
  });
  return (res, bytes) => {
    // Only what may be asked again: after a 503 a write would be repeated. Its reply is about as large as its body, which is counted.
    if (bytes <= smallReply || res.req.method !== 'GET') return;
    // Closed already: there will be no event that gives it back.
    if (res.destroyed || res.closed) return;
    const caller = res.locals.caller as Caller | undefined;
    const held = budget.hold(caller?.organizationId ?? countedClient(res.req));
    // One reply alone always has room in its share.
    held.add(Math.min(bytes, perKey));
    res.once('close', held.release);
  };
}
