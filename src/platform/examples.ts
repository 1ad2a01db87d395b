import { createHash } from 'node:crypto';

/** The ids that all examples share, so that a reader can follow one message from request to event. */
export const exampleIds = {
  organization: '01932d5f-3a0e-7cc4-8f4e-0242ac120001',
  message: '01932d5f-3a0e-7cc4-8f4e-0242ac120002',
  conversation: '01932d5f-3a0e-7cc4-8f4e-0242ac120003',
  contact: '01932d5f-3a0e-7cc4-8f4e-0242ac120004',
  channel: '01932d5f-3a0e-7cc4-8f4e-0242ac120005',
  webhookEndpoint: '01932d5f-3a0e-7cc4-8f4e-0242ac120006',
  operation: '01932d5f-3a0e-7cc4-8f4e-0242ac120007',
  request: '01932d5f-3a0e-7cc4-8f4e-0242ac120008',
  event: '01932d5f-3a0e-7cc4-8f4e-0242ac120009',
  user: '01932d5f-3a0e-7cc4-8f4e-0242ac12000a',
  apiKey: '01932d5f-3a0e-7cc4-8f4e-0242ac12000b',
  token: '01932d5f-3a0e-7cc4-8f4e-0242ac12000c',
  invitation: '01932d5f-3a0e-7cc4-8f4e-0242ac12000d',
  act: '01932d5f-3a0e-7cc4-8f4e-0242ac12000e',
  identity: '01932d5f-3a0e-7cc4-8f4e-0242ac12000f',
  note: '01932d5f-3a0e-7cc4-8f4e-0242ac120010',
  tag: '01932d5f-3a0e-7cc4-8f4e-0242ac120011',
  suppression: '01932d5f-3a0e-7cc4-8f4e-0242ac120012',
  otherContact: '01932d5f-3a0e-7cc4-8f4e-0242ac120013',
  import: '01932d5f-3a0e-7cc4-8f4e-0242ac120014',
  export: '01932d5f-3a0e-7cc4-8f4e-0242ac120015',
  conversationNote: '01932d5f-3a0e-7cc4-8f4e-0242ac120016',
  mediaAsset: '01932d5f-3a0e-7cc4-8f4e-0242ac120017',
};

export const examplePhone = '16505551234';

export const exampleIdOf = (kind: string): string =>
  (exampleIds as Record<string, string>)[kind] ??
  `01932d5f-3a0e-7cc4-8f4e-${createHash('sha256').update(kind).digest('hex').slice(0, 12)}`;

export const exampleTime = '2026-11-21T10:00:00.000Z';
