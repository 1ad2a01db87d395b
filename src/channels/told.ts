import { channelStatusUpdate } from '../platform/events/catalogue.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { ChannelStatus } from './channel.entity.ts';

/** Needs the channel's lock. `changed` by their names in the API. */
export const emitChange = (tx: OwnTx, { id, status }: { id: string; status: ChannelStatus }, changed: string[], more = {}) =>
  tx.emit(channelStatusUpdate, { channel_id: id, status, changed, ...more });
