import { replayProviderWebhook } from '../src/operator/replays.ts';
import { idArgument } from './arguments.ts';
import { withLedger } from './connect.ts';
import { eachOf } from './each-of.ts';

export async function retryProviderWebhooksCommand(texts: string[]) {
  const ids = texts.map((text) => idArgument(text, 'a provider webhook'));
  await withLedger((ledger) =>
    eachOf(ids, async (id) =>
      (await replayProviderWebhook(ledger.transact, id))
        ? `Provider webhook ${id} is applied again`
        : `Provider webhook ${id} is not broken: nothing to do`,
    ),
  );
}
