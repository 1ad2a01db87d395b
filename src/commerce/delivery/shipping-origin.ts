import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { invalidField } from '../../platform/errors.ts';
import { CommerceSettings } from '../settings.entity.ts';
import type { ShippingOrigin } from './origin.ts';

const settingsOf = statement((select) => select(CommerceSettings).select('shipping_origin'));

/** Throws 422 until the store says where its parcels are fetched. */
export async function shippingOrigin(own: Own): Promise<ShippingOrigin> {
  const [settings] = await settingsOf(own, {});
  if (!settings?.shipping_origin)
    throw invalidField('shipping_origin', 'The settings of the store do not say where parcels are fetched', 'required');
  return settings.shipping_origin;
}
