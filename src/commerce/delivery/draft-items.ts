import type { Own } from '../../platform/database/own.ts';
import { notFound } from '../../platform/errors.ts';
import { DraftOrder } from '../drafts/draft.entity.ts';
import type { Given } from './quoted-items.ts';

type Content = { items?: Given[]; shipping_address?: { area_id?: string } };

/** What a draft says of its parcel. Throws 404. */
export async function parcelOfDraft(own: Own, id: string): Promise<{ items: Given[]; areaId?: string }> {
  const draft = await own.findOne(DraftOrder, { id });
  if (!draft) throw notFound('Draft order');
  const { items = [], shipping_address } = draft.content as Content;
  return { items, ...(shipping_address?.area_id && { areaId: shipping_address.area_id }) };
}
