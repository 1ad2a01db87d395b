import { Histogram, type Registry } from 'prom-client';
import type { Config } from '../../platform/config/config.ts';
import { createShares, type Release } from '../../platform/load/shares.ts';
import { childrenOf } from '../../platform/metrics/children.ts';
import type { WebhookSender } from '../../webhooks/sender.ts';
import { createKnownChannels, type KnownChannels } from './known-channels.ts';
import { createOpenKeys, type OpenKeys } from './open-keys.ts';
import type { ExchangeOutcome } from './outcomes.ts';

/** What the requests of flows' endpoints share in a process. */
export type FlowExchanges = {
  keys: OpenKeys;
  channels: KnownChannels;
  /** A place for one that is under way; undefined: there are too many, of the organization or in all. */
  tryTake(organizationId: string): Release | undefined;
  sender(): Promise<WebhookSender>;
  ended(outcome: ExchangeOutcome, seconds: number): void;
  close(): Promise<void>;
};

type Settings = Pick<
  Config,
  'flowExchangesAtOnce' | 'flowExchangesPerOrganization' | 'webhookAllowHttp' | 'webhookAllowNetworks'
>;

/** The provider waits for 10 s: the wait for the database is in them, too. */
export const answerWithinMs = 9_500;
const forwardMs = 8_000;
const connectMs = 3_000;
/** A screen may have images in it. */
const maxAnswerBytes = 1024 * 1024;
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8, 10];

export function createFlowExchanges(config: Settings, registry: Registry): FlowExchanges {
  const places = (perKey: number) =>
    createShares({ perKey, maxWaiting: 0, waitMs: 0, refusal: 'Too many requests of flows at once' });
  const all = places(config.flowExchangesAtOnce);
  const organizations = places(config.flowExchangesPerOrganization);
  const duration = childrenOf(
    new Histogram({
      name: 'kanal_flow_exchange_duration_seconds',
      help: 'Requests of the provider to the endpoint of flows by what became of them: answered, ended, ping, notice; not good: signature, key, token; not answered: busy, no_address, address, connection, timeout, status, answer, fault',
      labelNames: ['outcome'],
      buckets,
      registers: [registry],
    }),
  );
  let opened: Promise<WebhookSender> | undefined;

  return {
    keys: createOpenKeys(),
    channels: createKnownChannels(),
    tryTake(organizationId) {
      const own = organizations.tryTake(organizationId);
      const any = own && all.tryTake('');
      if (!any) {
        own?.();
        return undefined;
      }
      return () => {
        own();
        any();
      };
    },
    sender() {
      // Loaded by the first request that is forwarded: a process starts without it.
      opened ??= import('../../webhooks/sender.ts').then(({ createWebhookSender }) =>
        createWebhookSender({
          allowHttp: config.webhookAllowHttp,
          allowNetworks: config.webhookAllowNetworks,
          timeoutMs: forwardMs,
          connectTimeoutMs: connectMs,
          maxBodyBytes: maxAnswerBytes,
        }),
      );
      return opened;
    },
    ended: (outcome, seconds) => duration(outcome).observe(seconds),
    async close() {
      await (await opened)?.close();
    },
  };
}
