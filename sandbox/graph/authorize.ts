import type { NextFunction } from 'express';
import type { Account, Template } from '../accounts.ts';
import type { State } from '../state.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError, noSuchObject } from './errors.ts';

export function authorize(state: State) {
  return (req: GraphRequest, res: GraphResponse, next: NextFunction): void => {
    const token = /^(?:Bearer|OAuth) (\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    if (token === undefined) throw new GraphError(104);
    if (!state.accounts.knowsToken(token))
      throw new GraphError(190, { message: 'Invalid OAuth access token - Cannot parse access token' });
    const refusal = state.numbers.refusals.get(token);
    if (refusal !== undefined) throw new GraphError(refusal);
    res.locals.token = token;
    next();
  };
}

export function ownNumber(state: State, req: GraphRequest, res: GraphResponse): Account {
  const account = state.accounts.ofNumber(req.params.id);
  if (account?.access_token !== res.locals.token) throw noSuchObject(req.params.id, req.method);
  return account;
}

export function ownWaba(state: State, req: GraphRequest, res: GraphResponse): Account[] {
  const accounts = state.accounts.ofWaba(req.params.id, res.locals.token);
  if (accounts.length === 0) throw noSuchObject(req.params.id, req.method);
  return accounts;
}

/** Templates belong to the business account: numbers that share it share them. */
export function templatesOf(accounts: Account[]): Template[] {
  const byId = new Map(accounts.flatMap(({ templates }) => templates).map((template) => [template.id, template]));
  return [...byId.values()];
}

/** Every template the caller may touch, in any of their accounts. */
export function ownTemplates(state: State, res: GraphResponse): Template[] {
  return templatesOf(state.accounts.ofToken(res.locals.token));
}
