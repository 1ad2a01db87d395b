import { expect, test } from '@jest/globals';
import { tokenOf } from '../../../src/flows/token.ts';
import { useApp } from '../../support/app.ts';
import { flowChange } from '../../support/flow-changes.ts';
import { readExposition } from '../../support/prometheus.ts';
import { bodyFor, newId } from '../../support/provider-body.ts';
import { testSecrets } from '../../support/secrets.ts';
import { answerFrom, flowMessage, flowOf } from '../../support/sent-flows.ts';

const token = 'token-of-the-scraper';
const app = useApp({ env: { METRICS_TOKEN: token, HEALTH_PORT: '0' } });

test('what the provider tells of flows, and answers by the rule that matched them, are counted', async () => {
  const { healthPort } = await app.startWorkers();
  const counts = async (metric: string, label: string) => {
    const reply = await fetch(`http://127.0.0.1:${healthPort}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const { samples } = readExposition(await reply.text());
    const found = samples.filter(({ name }) => name === metric);
    return Object.fromEntries(found.map(({ labels, value }) => [labels[label], value]));
  };
  const answers = () => counts('kanal_flow_answers_total', 'rule');
  const told = () => counts('kanal_flow_webhooks_total', 'outcome');
  expect([await answers(), await told()]).toEqual([
    { message: 0, token: 0, later: 0, none: 0 },
    { applied: 0, old: 0, unknown: 0 },
  ]);

  const channel = await app.connect();
  const flow = await flowOf(app, channel);
  const { phone } = await app.conversation(channel);
  const { data } = (await app.text(channel, phone, flowMessage({ flow_id: flow.id }))).body;
  const { provider_message_id: to } = await app.messageIn(data.id, 'read');
  const ours = tokenOf(testSecrets, app.tenant.organizationId, data.id);
  const answer = async (response: object, named: { to?: string; id?: string } = {}) => {
    await app.webhook(bodyFor(channel, answerFrom(phone, response, named)));
    await app.idle();
  };
  const id = newId();
  // The same answer twice is one.
  await answer({ day: 'mon' }, { to, id });
  await answer({ day: 'mon' }, { to, id });
  await answer({ day: 'mon', flow_token: ours });
  await answer({ day: 'mon', flow_token: `${ours}A` });
  expect(await answers()).toEqual({ message: 1, token: 1, later: 0, none: 1 });

  const tell = async (flowId: string, time: number) => {
    const value = { event: 'FLOW_STATUS_CHANGE', message: '', flow_id: flowId, old_status: 'PUBLISHED', new_status: 'BLOCKED' };
    await app.webhook(flowChange(value, time, channel.wabaId));
    await app.idle();
  };
  await tell(flow.providerFlowId, 1_700_000_200);
  await tell(flow.providerFlowId, 1_700_000_100);
  await tell('404404', 1_700_000_300);
  expect(await told()).toEqual({ applied: 1, old: 1, unknown: 1 });
});
