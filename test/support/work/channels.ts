import { Channel } from '../../../src/channels/channel.entity.ts';
import { ChannelHealth } from '../../../src/channels/health.entity.ts';
import { Onboarding } from '../../../src/onboarding/onboarding.entity.ts';
import { Template } from '../../../src/templates/template.entity.ts';
import { rowsOf } from './rows.ts';

export const channelRows = rowsOf(Channel);
export const channelHealthRows = rowsOf(ChannelHealth);
export const onboardingRows = rowsOf(Onboarding);
export const templateRows = rowsOf(Template);
