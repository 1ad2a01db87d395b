import type { Config } from '../../platform/config/config.ts';

/** Where the provider asks for the flows of a channel: its `endpoint_uri`. Undefined: the installation does not know its own address. */
export const exchangeAddress = ({ publicUrl }: Pick<Config, 'publicUrl'>, channelId: string): string | undefined =>
  publicUrl && `${publicUrl.replace(/\/$/, '')}/v1/providers/messaging-app/flows/${channelId}`;
