import Joi from 'joi';
import { areOrigins, isUrl } from './checks.ts';

/** The messaging provider, and the installation's one app there. */
export const messagingAppSettings = {
  MESSAGING_APP_URL: Joi.string()
    .custom(isUrl('http', 'https'))
    .default('https://graph.facebook.com/v23.0')
    .description('Base address of the messaging provider'),
  MESSAGING_APP_MEDIA_HOSTS: Joi.string()
    .default('lookaside.fbsbx.com')
    .description("Hosts, comma-separated, that the provider's links to files lead to: only they get a channel's token"),
  PROVIDER_ORIGINS: Joi.string()
    .allow('')
    .default('https://scontent.xx.fbcdn.net,https://mmg.whatsapp.net')
    .custom(areOrigins('PROVIDER_ORIGINS'))
    .description(
      "Other origins, comma-separated, that the provider's links to documents of flows may lead to; they get no token",
    ),
  MESSAGING_APP_ID: Joi.string()
    .pattern(/^\d{1,32}$/, 'digits')
    .empty('')
    .description("Id of the installation's provider app; onboarding needs it"),
  MESSAGING_APP_SECRET: Joi.string().empty('').description("Secret of the installation's provider app; signs its webhooks"),
  MESSAGING_APP_VERIFY_TOKEN: Joi.string().empty('').description("Token of the provider's webhook handshake"),
};

export type MessagingAppSettings = {
  messagingAppUrl: string;
  messagingAppMediaHosts: string[];
  providerOrigins: string[];
  messagingAppId?: string;
  messagingAppSecret?: string;
  messagingAppVerifyToken?: string;
};
