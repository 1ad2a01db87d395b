import type { Request, Response } from 'express';
import { AppError } from '../../src/errors.ts';
import { countedAddress } from '../../src/rate-limits/address.ts';
import type { RequestLimits, Taken } from '../../src/rate-limits/requests.ts';

/** Counts a request for `key` and says on the reply what is left of its quota (draft-ietf-httpapi-ratelimit-headers-11). */
export function limited(limits: RequestLimits | undefined) {
  if (!limits) return undefined;
  const tell = (res: Response, { isAllowed, remaining, resetSeconds }: Taken): void => {
    res.setHeader('RateLimit-Policy', limits.policy);
    res.setHeader('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (isAllowed) return;
    // A refused credential may have asked for another one: that is not the answer any more.
    res.removeHeader('WWW-Authenticate');
    throw new AppError('rate_limited', 'Too many requests', { retryAfterSeconds: resetSeconds });
  };
  return (res: Response, key: string): void | Promise<void> => {
    const taken = limits.take(key);
    return taken instanceof Promise ? taken.then((one) => tell(res, one)) : tell(res, taken);
  };
}

/** Whose quota a request is counted on: the caller's key, token or session, else the address it comes from. */
export const quotaOf = (req: Request, res: Response): string => res.locals.caller?.id ?? `address:${countedAddress(req.ip)}`;
