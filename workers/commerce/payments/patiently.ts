import { ProviderBusy, ProviderError, ProviderRefused } from '../../../src/providers/errors.ts';
import type { Outcome, RunContext } from '../../handler.ts';

const [soonMs, laterMs] = [60_000, 600_000];

/** For looks that must not end while their subject has not: a fault of the provider spends no attempt. */
export async function patiently(context: RunContext<unknown>, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderError) || error instanceof ProviderBusy) throw error;
    return context.wait(error instanceof ProviderRefused ? laterMs : soonMs, { reason: error.message });
  }
}
