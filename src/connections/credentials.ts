import type { ConnectionKind, ConnectionProvider } from './connection.entity.ts';

export const kindOf: Record<ConnectionProvider, ConnectionKind> = {
  google: 'calendar',
  zoom: 'video',
  biteship: 'shipper',
  xendit: 'payment',
  stripe: 'payment',
};
