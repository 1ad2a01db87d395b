import type { Account } from '../accounts.ts';
import { asFields, type Fields } from '../messages/checks.ts';
import type { NumberState } from '../numbers.ts';
import type { State } from '../state.ts';
import { ownNumber } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { reply } from './reply.ts';

/** A change of one of the caller's own numbers: it throws, or it was made. */
function change(make: (number: NumberState, body: Fields, account: Account) => void) {
  return (state: State) =>
    (req: GraphRequest, res: GraphResponse): void => {
      const account = ownNumber(state, req, res);
      make(state.numbers.of(account.phone_number_id), asFields(req.body) ?? {}, account);
      reply(res, 200, { success: true });
    };
}

const required = (name: string) => new GraphError(100, { message: `(#100) The parameter ${name} is required.` });

export const register = change((number, { messaging_product, pin }) => {
  if (messaging_product !== 'whatsapp') throw required('messaging_product');
  if (pin === undefined) throw required('pin');
  if (typeof pin !== 'string' || !/^\d{6}$/.test(pin))
    throw new GraphError(100, { message: '(#100) Param pin must be 6 digits.' });
  if (number.pin !== null && number.pin !== pin) throw new GraphError(133005);
  Object.assign(number, { pin, isRegistered: true });
});

export const deregister = change((number) => {
  if (!number.isRegistered) throw new GraphError(133010);
  number.isRegistered = false;
});

export const requestCode = change((number, { code_method, language }) => {
  if (code_method !== 'SMS' && code_method !== 'VOICE')
    throw new GraphError(100, { message: '(#100) Param code_method must be one of {SMS, VOICE}' });
  if (typeof language !== 'string' || language === '') throw required('language');
  number.isCodeSent = true;
});

/** No text message is really sent: once a code was requested, any six digits are right. */
export const verifyCode = change((number, { code }) => {
  if (code === undefined) throw required('code');
  if (!number.isCodeSent || !/^\d{6}$/.test(String(code))) throw new GraphError(136025);
  Object.assign(number, { isCodeSent: false, isVerified: true });
});
