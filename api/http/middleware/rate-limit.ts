import type { Request, Response } from 'express';
import type { Charge } from '../../../src/accounts/authenticate.ts';
import { type Caller, noOrganization } from '../../../src/organizations/caller.ts';
import { AppError } from '../../../src/platform/errors.ts';
import type { Quota, Taken } from '../../../src/platform/rate-limits/quota.ts';
import type { RequestLimits } from '../../../src/platform/rate-limits/requests.ts';
import { countedClient } from '../client-address.ts';

const ofAddress = (req: Request) => `address:${countedClient(req)}`;

/** Says on the reply what is left of a quota (draft-ietf-httpapi-ratelimit-headers-11); throws when it is nothing. */
function tell(res: Response, { policy }: Quota, { isAllowed, remaining, resetSeconds }: Taken): void {
  res.setHeader('RateLimit-Policy', policy);
  res.setHeader('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
  if (isAllowed) return;
  // A refused credential may have asked for another one: that is not the answer any more.
  res.removeHeader('WWW-Authenticate');
  throw new AppError('rate_limited', 'Too many requests', { retryAfterSeconds: resetSeconds });
}

/** The ceiling alone, where a caller has no quota of its own. */
const ofOrganization = (organization: Quota) => (_req: Request, res: Response) => {
  const caller: Caller | undefined = res.locals.caller;
  if (!caller || caller.organizationId === noOrganization) return undefined;
  const taken = organization.take(caller.organizationId);
  return taken instanceof Promise ? taken.then((one) => tell(res, organization, one)) : tell(res, organization, taken);
};

/** Counts a request for its caller and the caller's organization, else for the address it comes from, once. */
export function limited({ own, organization }: RequestLimits) {
  if (!own) return organization && ofOrganization(organization);

  const tellNearer = (res: Response, taken: Taken, total: Taken) =>
    tell(res, own, !total.isAllowed || total.remaining < taken.remaining ? total : taken);

  /** The organization's ceiling, where it is nearer than the caller's own quota. A request its own quota refuses is none of it. */
  function ofCaller(res: Response, { organizationId }: Caller, taken: Taken): void | Promise<void> {
    if (!organization || !taken.isAllowed || organizationId === noOrganization) return tell(res, own!, taken);
    const total = organization.take(organizationId);
    return total instanceof Promise ? total.then((one) => tellNearer(res, taken, one)) : tellNearer(res, taken, total);
  }

  return (req: Request, res: Response): void | Promise<void> => {
    const caller: Caller | undefined = res.locals.caller;
    if (caller) {
      const taken = own.take(caller.id);
      return taken instanceof Promise ? taken.then((one) => ofCaller(res, caller, one)) : ofCaller(res, caller, taken);
    }
    const taken: Taken | Promise<Taken> = res.locals.takenOfAddress ?? own.take(ofAddress(req));
    return taken instanceof Promise ? taken.then((one) => tell(res, own, one)) : tell(res, own, taken);
  };
}

/**
 * What a look-up of a credential nobody here knows costs: one of the address's requests, before the database is asked, so that guesses
 * that come at once do not pass together. A right one costs the address nothing: many honest clients may share it.
 */
export function lookUpCharge({ own }: RequestLimits) {
  if (!own) return undefined;
  return async (req: Request, res: Response): ReturnType<Charge> => {
    const address = ofAddress(req);
    const taken = await own.take(address);
    res.locals.takenOfAddress = taken;
    if (!taken.isAllowed) tell(res, own, taken);
    return () => own.giveBack(address);
  };
}
