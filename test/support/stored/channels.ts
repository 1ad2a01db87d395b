import { Channel } from '../../../src/channels/channel.entity.ts';
import { ChannelHealth } from '../../../src/channels/health.entity.ts';
import { Connection, ConnectionConsent, ConnectionWebhook } from '../../../src/connections/connection.entity.ts';
import { Onboarding } from '../../../src/onboarding/onboarding.entity.ts';
import { storedRows } from './rows.ts';

export const storedChannels = storedRows(Channel);
export const storedChannelHealth = storedRows(ChannelHealth);
export const storedOnboardings = storedRows(Onboarding);
export const storedConnections = storedRows(Connection);
export const storedConnectionConsents = storedRows(ConnectionConsent);
export const storedConnectionWebhooks = storedRows(ConnectionWebhook);
