import type { Request, Response } from 'express';
import type { Charge } from '../../../src/accounts/authenticate.ts';
import { type Caller, noOrganization } from '../../../src/organizations/caller.ts';
import { AppError } from '../../../src/platform/errors.ts';
import type { Quota, Taken } from '../../../src/platform/rate-limits/quota.ts';
import type { RequestLimits } from '../../../src/platform/rate-limits/requests.ts';
import { countedClient } from '../client-address.ts';

const ofAddress = (req: Request) => `address:${countedClient(req)}`;

/** Sets the quota's headers (draft-ietf-httpapi-ratelimit-headers-11); throws when nothing is left. */
function tell(res: Response, { policy }: Quota, { isAllowed, remaining, resetSeconds }: Taken): void {
  res.setHeader('RateLimit-Policy', policy);
  res.setHeader('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
  if (isAllowed) return;
  // Set by a refused credential; a 429 asks for no other one.
  res.removeHeader('WWW-Authenticate');
  throw new AppError('rate_limited', 'Too many requests', { retryAfterSeconds: resetSeconds });
}

/** Only the organization's limit, if callers have no quota of their own. */
const ofOrganization = (organization: Quota) => (_req: Request, res: Response) => {
  const caller: Caller | undefined = res.locals.caller;
  if (!caller || caller.organizationId === noOrganization) return undefined;
  const taken = organization.take(caller.organizationId);
  return taken instanceof Promise ? taken.then((one) => tell(res, organization, one)) : tell(res, organization, taken);
};

/** Counts a request once: for its caller and the organization, else for its address. */
export function limited({ own, organization }: RequestLimits) {
  if (!own) return organization && ofOrganization(organization);

  const tellNearer = (res: Response, taken: Taken, total: Taken) =>
    tell(res, own, !total.isAllowed || total.remaining < taken.remaining ? total : taken);

  /** Shows the nearer of the two limits. A request that its own quota refuses does not count for the organization. */
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

/** Charged before the database is asked, so that concurrent guesses cannot all pass. A right credential costs nothing. */
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
