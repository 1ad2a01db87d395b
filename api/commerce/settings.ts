import Joi from 'joi';
import { shippingOriginSchema } from '../../src/commerce/delivery/origin.ts';
import { commerceSettingsConfirmOns } from '../../src/commerce/settings.entity.ts';
import { changeSettings, defaultSettings, type SettingsPatch, settingsOf } from '../../src/commerce/settings.ts';
import { currencyCode } from '../../src/money/schemas.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { timeZone } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { slug, tag, whole } from './catalogue-schemas.ts';

const path = '/v1/commerce/settings';

const fields = {
  store_name: Joi.string().trim().allow('').max(200),
  store_slug: slug.allow('').description('Shown with payments'),
  currency: currencyCode.description('Of orders that name none'),
  timezone: timeZone.description("A zone of the IANA database: whose days are those of the store's deliveries"),
  order_no_prefix: Joi.string()
    .allow('')
    .max(20)
    // A digit at its end would make `A-1` with 000001 what `A-` is with 1000001: no two numbers are alike by construction.
    .pattern(/^([A-Za-z0-9-]*[A-Za-z-])?$/, 'letters, digits and hyphens, and no digit at the end')
    .description('Before the number of an order'),
  reservation_minutes: whole(1, 10_080).description('How long an order that is not paid keeps its stock'),
  confirm_on: Joi.string()
    .valid(...commerceSettingsConfirmOns)
    .description('payment: an order that is paid is confirmed'),
  shipping_origin: shippingOriginSchema.allow(null).description('Where parcels are fetched; null: nowhere'),
};

const settingsView = view(
  'commerce_settings',
  Joi.object(Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, (schema as Joi.StringSchema).required()]))),
  { ...defaultSettings, store_name: 'The Soap Shop', store_slug: 'the-soap-shop', currency: 'IDR', timezone: 'Asia/Jakarta' },
);

export const getCommerceSettings = endpoint({
  tag,
  method: 'get',
  path,
  operationId: 'commerce.settings.get',
  scope: 'commerce:read',
  summary: 'Get the settings of the store',
  responses: { 200: settingsView },
  handler: async ({ own }) => ok(await settingsOf(own)),
});

export const patchCommerceSettings = endpoint({
  tag,
  method: 'patch',
  path,
  operationId: 'commerce.settings.update',
  scope: 'commerce:write',
  summary: 'Change the settings of the store',
  description: 'What is not given stays. Orders that are there keep their currency and their number.',
  audit: 'commerce_settings',
  body: Joi.object<SettingsPatch>(fields).min(1),
  responses: { 200: settingsView },
  example: { body: { store_name: 'The Soap Shop', currency: 'IDR', timezone: 'Asia/Jakarta', order_no_prefix: 'SOAP-' } },
  handler: ({ body, own, write }) =>
    write({}, async (tx) => ({
      ...ok(await changeSettings(tx.own, body)),
      audit: { subject: `commerce_settings:${own.organizationId}`, details: { changed: Object.keys(body) } },
    })),
});
