import type { Own } from '../platform/database/own.ts';
import { type Ask, type Page, type PageRows, pageOfQuery } from '../platform/listing/paging.ts';
import { MediaAsset, type MediaSource } from './asset.entity.ts';
import { type AssetRow, assetColumns } from './find.ts';
import type { MediaKind } from './kinds.ts';

export type AssetFilter = {
  kind?: MediaKind;
  source?: MediaSource;
  contactId?: string;
  messageId?: string;
  /** The first moment, and the first one after the last. */
  since?: string;
  until?: string;
};

export function listAssets(own: Own, ask: Ask, filter: AssetFilter, page: Page): Promise<PageRows<AssetRow>> {
  const { kind, source, contactId, messageId, since, until } = filter;
  let assets = own.select(MediaAsset).select(assetColumns).where('deleted_at', 'is', null);
  if (kind) assets = assets.where('kind', '=', kind);
  if (source) assets = assets.where('source', '=', source);
  if (contactId) assets = assets.where('contact_id', '=', contactId);
  if (messageId) assets = assets.where('message_id', '=', messageId);
  if (since) assets = assets.where('created_at', '>=', since);
  if (until) assets = assets.where('created_at', '<', until);
  return pageOfQuery<AssetRow>(ask, assets, page);
}
