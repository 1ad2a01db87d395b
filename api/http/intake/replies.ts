import type { Response } from 'express';
import type { Caller } from '../../../src/organizations/caller.ts';
import type { Config } from '../../../src/platform/config/config.ts';
import { countedClient } from '../client-address.ts';
import { createByteBudget } from './byte-budget.ts';

/** Counts a reply until it is over. Throws `unavailable` without room. */
export type HoldReply = (res: Response, bytes: number) => void;

/** Smaller replies are not counted: a connection costs about as much anyway. */
const smallReply = 64 * 1024;

/** A client that requests large pages and does not read them keeps them in memory until its connection is cut. */
export function createReplies(config: Pick<Config, 'repliesMaxBytes' | 'repliesOrganizationMaxBytes'>): HoldReply {
  const perKey = config.repliesOrganizationMaxBytes;
  const budget = createByteBudget({
    total: config.repliesMaxBytes,
    perKey,
    refusal: 'Too many bytes of replies that are not read yet; try again',
  });
  return (res, bytes) => {
    // Reads only: after a 503 the client would repeat a write. A write's reply is about as large as its counted body.
    if (bytes <= smallReply || !res.locals.isRead) return;
    // Closed already: no event would release it.
    if (res.destroyed || res.closed) return;
    const caller = res.locals.caller as Caller | undefined;
    const held = budget.hold(caller?.organizationId ?? countedClient(res.req));
    // A single reply always has room in its share.
    held.add(Math.min(bytes, perKey));
    res.once('close', held.release);
  };
}
