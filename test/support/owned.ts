import type { App } from './app.ts';
import { bearerToken, person, sessionHeaders } from './factories/person.ts';

/** One record of each kind that the first organization has, by the name of the path's parameter. */
export async function ownedRecords(app: App): Promise<Record<string, string>> {
  const { organizationId } = app.tenant;
  const channel = await app.connect();
  await app.storeTemplates(channel);
  const conversation = await app.conversation(channel);
  const message = (await app.text(channel, conversation.phone)).body.data;
  await app.rows(`update messages set status = 'failed' where id = $1`, [message.id]);
  await app.rows(`update jobs set state = 'failed' where subject_id = $1`, [message.id]);
  const endpoint = await app.call('webhooks.endpoints.create', {
    body: { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] },
  });
  const sync = await app.call('templates.sync', { params: { channelID: channel.id } });
  const { userId } = await person(app.em(), organizationId);
  await sessionHeaders(app.em(), userId, app.base);
  const token = await bearerToken(app.em(), organizationId, userId);
  const invitation = await app.call('invitations.create', { body: { email: 'invited@example.com', role: 'agent' } });
  const identity = await app.one('select id from contact_identities where contact_id = $1 limit 1', [conversation.contactId]);
  const params = { contactID: conversation.contactId };
  const note = await app.call('contacts.notes.create', { params, body: { body: 'A note' } });
  const tag = await app.call('contacts.tags.assign', { params, body: { name: 'Owned' } });
  // On a channel nothing is sent on, so that the walks of the others meet no refusal.
  const suppression = await app.call('contacts.suppressions.create', {
    params: { contactID: conversation.contactId },
    body: { channel: 'voice', reason: 'manual' },
  });
  const contactImport = await app.call('contacts.import', { body: 'phone_number\n+16505551200\n' });
  const contactExport = await app.call('contacts.exports.create');
  return {
    channelID: channel.id,
    messageID: message.id,
    endpointID: endpoint.body.id,
    operationID: sync.headers.get('operation-id')!,
    conversationID: conversation.id,
    contactID: conversation.contactId,
    identityID: identity.id,
    phone: conversation.phone,
    channel: 'voice',
    suppressionID: suppression.body.data.id,
    importID: contactImport.body.data.id,
    exportID: contactExport.body.data.id,
    memberID: userId,
    tokenID: token.id,
    keyID: app.tenant.keyId,
    invitationID: invitation.body.id,
    noteID: note.body.data.id,
    tagID: tag.body.data.id,
  };
}
