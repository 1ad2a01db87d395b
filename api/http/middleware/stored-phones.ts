import type { Response } from 'express';
import type Joi from 'joi';
import type { Caller } from '../../../src/organizations/caller.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import type { Deps } from '../endpoint.ts';

/** What a body that was refused for a phone is validated with once more: a number that no plan knows may be a stored person's. */
export const storedPhones = (deps: Deps) => async (fault: Joi.ValidationError, res: Response) => {
  const organizationId = (res.locals.caller as Caller | undefined)?.organizationId;
  if (!organizationId) return undefined;
  const { phoneContext } = await import('../../../src/contacts/identities/named-phones.ts');
  return phoneContext(ownRows(deps.database, organizationId), fault);
};
