import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestampNow } from '../../platform/database/columns.ts';

/** A received message whose file waits to be fetched. Deleted when its job has ended. */
export const MediaFetch = defineEntity({
  name: 'MediaFetch',
  tableName: 'media_fetches',
  properties: {
    organization_id: p.uuid().primary(),
    message_id: p.uuid().primary(),
  },
});

/** The provider's id of an asset that was uploaded for one of its numbers. `claimed_by`: a message that uploads it now. */
export const MediaUpload = defineEntity({
  name: 'MediaUpload',
  tableName: 'media_uploads',
  properties: {
    organization_id: p.uuid().primary(),
    asset_id: p.uuid().primary(),
    phone_number_id: p.text().primary(),
    media_id: p.text().strictNullable(),
    uploaded_at: timestampNow(),
    claimed_by: p.uuid().strictNullable(),
    claimed_at: timestamp().strictNullable(),
  },
});
