import { describe, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { bodyFor } from '../support/provider-body.ts';
import { applyBody, expectApplied, freshChannel, routes } from './applied.ts';
import { inboundKinds, inboundMessage } from './inbound-kinds.ts';

const app = useApp({ workers: true });

describe.each(routes)('every kind of message, by %s:', (route) => {
  test.each(inboundKinds)('%s', async (_what, kind, type, content) => {
    const channel = await freshChannel(app);
    const phone = app.phone();
    const message = inboundMessage(phone, kind);
    // The provider names no contact with a system message.
    const contacts = kind.type === 'system' ? {} : { contacts: [{ profile: { name: 'Ada' }, wa_id: phone }] };
    await applyBody(app, channel, bodyFor(channel, { ...contacts, messages: [message] }), route);
    await expectApplied(app, channel, [{ message, type, content }], kind.type === 'system' ? '' : 'Ada');
  });

  test('news of a group is nothing we read, and no fault', async () => {
    const channel = await freshChannel(app);
    const groups = [{ timestamp: '1750269342', group_id: 'G', type: 'group_settings_update', request_id: 'R' }];
    await applyBody(app, channel, bodyFor(channel, { groups }, 'group_settings_update'), route);
    await expectApplied(app, channel, [], '');
  });
});
