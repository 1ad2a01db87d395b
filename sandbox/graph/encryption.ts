import { createPublicKey } from 'node:crypto';
import type { State } from '../state.ts';
import { ownNumber } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { readParameters } from './multipart.ts';
import { reply } from './reply.ts';

/** The key with which phones encrypt what they send to the endpoint of a flow. */
export function uploadKey(state: State) {
  return async (req: GraphRequest, res: GraphResponse): Promise<void> => {
    const account = ownNumber(state, req, res);
    state.flows.calls.count(account.waba_id);
    const { business_public_key: key } = await readParameters(req);
    if (typeof key !== 'string' || key === '')
      throw new GraphError(100, { message: '(#100) The parameter business_public_key is required.' });
    if (!isRsa2048(key))
      throw new GraphError(100, { message: '(#100) Param business_public_key must be an RSA key of 2048 bits, PEM.' });
    state.numbers.of(account.phone_number_id).publicKey = key;
    reply(res, 200, { success: true });
  };
}

export function showKey(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const account = ownNumber(state, req, res);
    state.flows.calls.count(account.waba_id);
    const { publicKey } = state.numbers.of(account.phone_number_id);
    reply(res, 200, publicKey === null ? {} : { business_public_key: publicKey, business_public_key_signature_status: 'VALID' });
  };
}

function isRsa2048(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(pem);
    return pem.includes('BEGIN PUBLIC KEY') && asymmetricKeyType === 'rsa' && asymmetricKeyDetails?.modulusLength === 2048;
  } catch {
    return false;
  }
}
