import type { Request, Response } from 'express';
import { AppError } from '../../src/errors.ts';
import type { Authenticate } from '../../src/organizations/keys.ts';
import type { Scope } from '../../src/organizations/scopes.ts';

/** Who calls, and whether the scope is theirs: before anything of the body is read. */
export const authenticated =
  (authenticate: Authenticate, scope: Scope) =>
  async (req: Request, res: Response): Promise<void> => {
    const key = req.headers['x-api-key'] as string | undefined;
    const caller = key ? await authenticate(key) : undefined;
    if (!caller) {
      res.setHeader('WWW-Authenticate', 'ApiKey realm="kanal"');
      throw new AppError('unauthorized', key ? 'The API key is not valid' : 'An API key is needed: header X-Api-Key');
    }
    res.locals.caller = caller;
    if (!caller.scopes.has(scope)) throw new AppError('forbidden', `The API key lacks the scope ${scope}`);
  };
