import type { Registry } from 'prom-client';
import { measuredProvider } from './measured.ts';
import { createGraphClient } from './messaging-app/client.ts';
import { graphMessagingApp } from './messaging-app/graph.ts';
import type { MessagingApp } from './messaging-app/provider.ts';

export type Providers = { messagingApp: MessagingApp; close(): void };

/** Every call is measured in the process's registry. */
export function createProviders(
  { messagingAppUrl, providerTimeoutMs }: { messagingAppUrl: string; providerTimeoutMs: number },
  registry: Registry,
): Providers {
  const measured = measuredProvider(registry);
  const client = createGraphClient({ baseUrl: messagingAppUrl, timeoutMs: providerTimeoutMs });
  return { messagingApp: measured('messaging_app', graphMessagingApp(client)), close: () => client.close() };
}
