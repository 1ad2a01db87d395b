import { asFields } from '../messages/checks.ts';
import type { State } from '../state.ts';
import { ownNumber } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { reply } from './reply.ts';

const profileFields = [
  'about',
  'address',
  'description',
  'email',
  'profile_picture_url',
  'profile_picture_handle',
  'websites',
  'vertical',
  'messaging_product',
];

export function getSettings(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    reply(res, 200, state.numbers.of(ownNumber(state, req, res).phone_number_id).settings);
  };
}

export function postSettings(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const { settings } = state.numbers.of(ownNumber(state, req, res).phone_number_id);
    const given = asFields(req.body) ?? {};
    if (Object.keys(given).length === 0) throw new GraphError(100, { message: '(#100) At least one setting is required.' });
    Object.assign(settings, given);
    reply(res, 200, { success: true });
  };
}

export function getBusinessProfile(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const { profile } = state.numbers.of(ownNumber(state, req, res).phone_number_id);
    const { fields } = req.query;
    const wanted = typeof fields === 'string' && fields !== '' ? fields.split(',').map((field) => field.trim()) : profileFields;
    for (const field of wanted) checkField(field);
    const shown = Object.entries(profile).filter(([name]) => wanted.includes(name));
    reply(res, 200, { data: [{ ...Object.fromEntries(shown), messaging_product: 'whatsapp' }] });
  };
}

export function postBusinessProfile(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const { profile } = state.numbers.of(ownNumber(state, req, res).phone_number_id);
    const { messaging_product, ...given } = asFields(req.body) ?? {};
    if (messaging_product !== 'whatsapp')
      throw new GraphError(100, { message: '(#100) The parameter messaging_product is required.' });
    for (const field of Object.keys(given)) checkField(field);
    if (Array.isArray(given.websites) && given.websites.length > 2)
      throw new GraphError(100, { message: '(#100) Param websites must have at most 2 entries.' });
    Object.assign(profile, given);
    reply(res, 200, { success: true });
  };
}

function checkField(name: string): void {
  if (!profileFields.includes(name))
    throw new GraphError(100, {
      message: `(#100) Tried accessing nonexisting field (${name}) on node type (WhatsAppBusinessProfile)`,
    });
}
