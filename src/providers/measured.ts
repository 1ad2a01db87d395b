import { Histogram, type Registry } from 'prom-client';
import { childrenOf } from '../platform/metrics/children.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from './errors.ts';

/** `fault`: our own error, not the provider's. */
function outcomeOf(error: unknown): string {
  if (error instanceof ProviderRefused) return 'refused';
  if (error instanceof ProviderBusy) return 'busy';
  if (error instanceof ProviderUnknown) return 'unknown';
  return error instanceof ProviderFailed ? 'failed' : 'fault';
}

type Calls = Record<string, (...given: never[]) => Promise<unknown>>;

export function measuredProvider(registry: Registry): <Provider extends Calls>(name: string, provider: Provider) => Provider {
  const duration = childrenOf(
    new Histogram({
      name: 'kanal_provider_call_duration_seconds',
      help: 'Calls to providers until their answer was sorted: ok, refused (final), busy (wait), unknown (may have taken effect), failed (again)',
      labelNames: ['provider', 'call', 'outcome'],
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
      registers: [registry],
    }),
  );
  const timed =
    (name: string, call: string, work: Calls[string]): Calls[string] =>
    async (...given) => {
      const startedAt = performance.now();
      let outcome = 'ok';
      try {
        return await work(...given);
      } catch (error) {
        outcome = outcomeOf(error);
        throw error;
      } finally {
        duration(name, call, outcome).observe((performance.now() - startedAt) / 1000);
      }
    };
  return (name, provider) =>
    Object.fromEntries(Object.entries(provider).map(([call, work]) => [call, timed(name, call, work)])) as typeof provider;
}
