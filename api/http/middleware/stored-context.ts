import type { Response } from 'express';
import type Joi from 'joi';
import type { Caller } from '../../../src/organizations/caller.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import type { Deps } from '../endpoint.ts';

/**
 * What refused fields are validated with once more. A phone that no plan knows may be a stored person's, and a day needs the organization's
 * zone.
 */
export const storedContext = (deps: Deps) => async (fault: Joi.ValidationError, res: Response) => {
  const organizationId = (res.locals.caller as Caller | undefined)?.organizationId;
  if (!organizationId) return undefined;
  const { phoneContext } = await import('../../../src/contacts/identities/named-phones.ts');
  const { zoneContext } = await import('../../../src/organizations/timezone.ts');
  const own = ownRows(deps.database, organizationId);
  const phones = await phoneContext(own, fault);
  const zone = await zoneContext(own, fault);
  return phones || zone ? { ...phones, ...zone } : undefined;
};
