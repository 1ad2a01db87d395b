import { Histogram, type Registry } from 'prom-client';
import { childrenOf, statusClass } from '../platform/metrics/children.ts';
import { type Phase, phases } from './phase-clock.ts';
import type { WebhookSender } from './sender.ts';

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

export function measuredSender(registry: Registry, sender: WebhookSender): WebhookSender {
  const duration = childrenOf(
    new Histogram({
      name: 'kanal_webhook_attempt_duration_seconds',
      help: 'Attempts of webhook deliveries by the answer (2xx: succeeded), else by the class of the error: dns, connect, tls, ssrf, timeout, http',
      labelNames: ['result'],
      buckets,
      registers: [registry],
    }),
  );
  const phaseDuration = new Histogram({
    name: 'kanal_webhook_attempt_phase_duration_seconds',
    help: 'Parts of attempts: dns, connect and tls where a connection was made; response: until the head of the answer; body: what is read of it',
    labelNames: ['phase'],
    buckets: [0.001, 0.005, ...buckets],
    registers: [registry],
  });
  const byPhase = Object.fromEntries(phases.map((phase) => [phase, phaseDuration.labels(phase)]));
  return {
    async send(request) {
      const outcome = await sender.send(request);
      duration(outcome.status ? statusClass(outcome.status) : (outcome.errorClass ?? 'http')).observe(outcome.durationMs / 1000);
      for (const phase in outcome.phases) byPhase[phase]!.observe(outcome.phases[phase as Phase]! / 1000);
      return outcome;
    },
    close: () => sender.close(),
  };
}
