import { Channel } from '../../../src/channels/channel.entity.ts';
import { ChannelHealth } from '../../../src/channels/health.entity.ts';
import { Onboarding } from '../../../src/onboarding/onboarding.entity.ts';
import { Template } from '../../../src/templates/template.entity.ts';
import type { App, Channel as TestChannel } from '../app.ts';
import { rowsOf } from './rows.ts';

export const channelRows = rowsOf(Channel);
export const channelHealthRows = rowsOf(ChannelHealth);
export const onboardingRows = rowsOf(Onboarding);
export const templateRows = rowsOf(Template);

/** The status that the API shows to the channel's organization. */
export async function statusOfChannel(app: App, { id, tenant }: TestChannel): Promise<string> {
  const { body } = await app.call('channels.get', { key: tenant.key, params: { channelID: id } });
  return body.status;
}
