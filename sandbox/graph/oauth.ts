import type { CodeFault } from '../codes.ts';
import type { State } from '../state.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { reply } from './reply.ts';

export const tokenPath = '/oauth/access_token';

const faults: Record<CodeFault, GraphError> = {
  unknown: new GraphError(100, { message: 'Invalid verification code format.', subcode: 36008 }),
  used: new GraphError(100, { message: 'This authorization code has been used.', subcode: 36009 }),
  expired: new GraphError(100, { message: 'This authorization code has expired.', subcode: 36007 }),
};

/** The one call without a token: the app shows its id and its secret. */
export function exchangeCode(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const { client_id, client_secret, code } = req.query;
    if (client_id === undefined) throw new GraphError(101, { message: 'Missing client_id parameter.' });
    if (client_id !== state.appId)
      throw new GraphError(101, { message: 'Error validating application. Invalid application ID.' });
    if (client_secret !== state.subscription.app_secret)
      throw new GraphError(1, { status: 400, message: 'Error validating client secret.' });
    if (typeof code !== 'string' || code === '') throw new GraphError(100, { message: 'This authorization code is missing.' });
    const used = state.codes.use(code);
    if (typeof used === 'string') throw faults[used];
    reply(res, 200, { access_token: used.access_token, token_type: 'bearer' });
  };
}
