import { asFields } from '../messages/checks.ts';
import type { State } from '../state.ts';
import { ownWaba } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { reply } from './reply.ts';

const appOf = ({ appId }: State) => ({
  id: appId,
  name: 'Kanal Sandbox App',
  link: `https://www.example.com/apps/${appId}`,
});

/** Another callback is kept and shown; webhooks go where the control side says. */
export function subscribeApp(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    ownWaba(state, req, res);
    const { override_callback_uri: uri, verify_token: token } = asFields(req.body) ?? {};
    if (uri === undefined) {
      state.subscribedApps.set(req.params.id, {});
      reply(res, 200, { success: true });
      return;
    }
    if (typeof uri !== 'string' || !URL.canParse(uri) || new URL(uri).protocol !== 'https:')
      throw new GraphError(100, { message: '(#100) Param override_callback_uri must be a valid URL' });
    if (typeof token !== 'string') throw new GraphError(100, { message: '(#100) The parameter verify_token is required.' });
    state.subscribedApps.set(req.params.id, { override_callback_uri: uri });
    reply(res, 200, { success: true, data: [{ override_callback_uri: uri, whatsapp_business_api_data: appOf(state) }] });
  };
}

export function listSubscribed(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    ownWaba(state, req, res);
    const subscription = state.subscribedApps.of(req.params.id);
    reply(res, 200, { data: subscription ? [{ whatsapp_business_api_data: appOf(state), ...subscription }] : [] });
  };
}

export function unsubscribeApp(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    ownWaba(state, req, res);
    state.subscribedApps.set(req.params.id, null);
    reply(res, 200, { success: true });
  };
}
