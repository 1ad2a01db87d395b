import { uploadFlowKeyJob } from '../../src/flows/exchange/key-job.ts';
import { isSameKey, settleUploaded, uploadingKey } from '../../src/flows/exchange/keys.ts';
import { handleCalls } from '../handler.ts';
import { atProvider } from './at-provider.ts';

/** Looks first: after a lost answer the provider may have the key, and another upload of it would change nothing. */
export const uploadFlowKey = handleCalls(uploadFlowKeyJob, ({ channel_id: id }, context) =>
  atProvider(context, { id, channel_id: id, provider_flow_id: null }, async ({ app, account, call }) => {
    const key = await uploadingKey(context.own, id);
    if (!key) return context.finish();
    const { publicKey } = await call(() => app.readFlowKey(account));
    if (!isSameKey(key.public_key, publicKey)) await call(() => app.uploadFlowKey(account, key.public_key));
    return context.finish(({ own }) => settleUploaded(own, id, key.id));
  }),
);
