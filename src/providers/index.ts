import { createGraphClient } from './messaging-app/client.ts';
import { graphMessagingApp } from './messaging-app/graph.ts';
import type { MessagingApp } from './messaging-app/provider.ts';

export type Providers = { messagingApp: MessagingApp; close(): void };

export function createProviders({
  messagingAppUrl,
  providerTimeoutMs,
}: {
  messagingAppUrl: string;
  providerTimeoutMs: number;
}): Providers {
  const client = createGraphClient({ baseUrl: messagingAppUrl, timeoutMs: providerTimeoutMs });
  return { messagingApp: graphMessagingApp(client), close: () => client.close() };
}
