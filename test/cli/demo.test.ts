import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Missing } from '../../cli/demo/stage.ts';
import { createTimeline } from '../../cli/demo/timeline.ts';
import { untilNothing } from '../../cli/demo/wait.ts';
import type { DemoFile } from '../../cli/start/demo-file.ts';
import type { Body } from '../support/app.ts';
import { command } from './command.ts';
import { limitMs, startIn } from './started.ts';

const home = mkdtempSync(join(tmpdir(), 'kanal-demo-'));
const stranger = mkdtempSync(join(tmpdir(), 'kanal-demo-'));
let installation: DemoFile;
beforeAll(async () => {
  installation = await startIn(home).demo();
}, limitMs);
afterAll(() => {
  for (const path of [home, stranger]) rmSync(path, { recursive: true, force: true });
});

type Entry = { id: string; status: string; hangoutLink?: string; start: { dateTime: string } };

/** What a list of the API shows of the demo organization. */
async function listed(path: string): Promise<Body[]> {
  const response = await fetch(`${installation.base_url}/v1/${path}`, { headers: { 'x-api-key': installation.api_key } });
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: Body[] }).items;
}
const rows = async (statement: string) => {
  const client = new pg.Client({ connectionString: installation.database_url });
  await client.connect();
  const { rows: found } = await client.query(statement);
  await client.end();
  return found;
};

test(
  'the demo tells the whole conversation in order, and leaves no endpoint behind',
  async () => {
    const { code, stdout, stderr } = await command(['demo'], { KANAL_HOME: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const chapters = stdout.split(/^(?=\d {2})/m);
    expect(chapters).toHaveLength(8);
    const [, endpoint, question, text, again, template, reply, won] = chapters;
    expect(endpoint).toMatch(/your app → Kanal +POST \/v1\/settings.*\n.*Kanal +→ your app +201/);
    expect(question).toMatch(/contact +→ provider +"Hello.*\n.*Kanal +→ your app +message\.new +✓ signature right/);
    for (const sent of [text, template]) {
      expect(sent).toMatch(/your app → Kanal +POST \/v1\/messages/);
      expect(sent).toMatch(/Kanal +→ your app +201 queued/);
      expect(sent).toMatch(/Kanal +→ provider +POST \/\d+\/messages +answered 200/);
      expect(sent).toMatch(/message\.sent +✓ signature right[\s\S]*message\.status_update read +✓ signature right/);
      expect(sent).toMatch(/the message is read/);
    }
    expect(again).toMatch(/the same Idempotency-Key\n.*201 message .*Idempotent-Replayed: true/);
    expect(reply).toMatch(/message\.new [\s\S]*503 [\s\S]*tries again[\s\S]*message\.new +✓ signature right, the same webhook/);
    expect(won).toMatch(/201 open[\s\S]*200 won[\s\S]*deal\.closed won +✓ signature right/);
    expect(won).toContain('All of it arrived');
    for (const link of [installation.bull_board.url, installation.docs_url]) expect(won).toContain(link);
    for (const chapter of chapters.slice(1)) {
      const times = [...chapter.matchAll(/^ *(\d+) ms /gm)].map(([, ms]) => Number(ms));
      expect(times).toEqual([...times].sort((one, other) => one - other));
    }
    // No terminal: not one escape.
    expect(stdout).not.toContain('\u001b');
    expect(await listed('settings/developer/webhooks/endpoints')).toEqual([]);
    expect(await rows(`select id from jobs where subject_type = 'webhook_delivery'`)).toEqual([]);
  },
  limitMs,
);

test(
  'the demo of an order goes from the price of its delivery to the parcel at the door',
  async () => {
    const { code, stdout, stderr } = await command(['demo', 'order'], { KANAL_HOME: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const chapters = stdout.split(/^(?=\d {2})/m);
    expect(chapters).toHaveLength(8);
    const [, , , , ordered, paid, booked, sent] = chapters;
    const right = ' +✓ signature right';
    expect(ordered).toMatch(/201 pending +order DEMO-\d{6}, unpaid/);
    expect(paid).toMatch(new RegExp(`commerce\\.payment\\.updated received${right}`));
    expect(paid).toMatch(new RegExp(`commerce\\.order\\.updated confirmed${right}`));
    expect(booked).toMatch(/200 confirmed +order DEMO-\d{6}, paid/);
    const [, startsAt, link] = /calendar → staff +(\S+) +(https:\/\/meet\S+)/.exec(booked!) ?? [];
    const onItsWay = [
      'shipment\\.updated picked',
      'order\\.updated shipped',
      'shipment\\.updated delivered',
      'order\\.updated completed',
    ];
    expect(sent).toMatch(new RegExp(onItsWay.map((type) => `commerce\\.${type}${right}`).join('[\\s\\S]*')));

    // Every webhook of the endpoint arrived and was verified by `standardwebhooks`, and the end counts them all.
    const told = stdout.split('\n').filter((line) => /Kanal +→ your app +(commerce|connection)\./.test(line));
    for (const line of told) expect(line).toMatch(/✓ signature right$/);
    const [, arrived] = /Webhooks +(\d+) arrived, every signature right/.exec(sent!) ?? [];
    expect(Number(arrived)).toBeGreaterThanOrEqual(told.length);
    for (const type of ['order.created', 'payment.updated', 'booking.updated', 'shipment.updated', 'order.updated'])
      expect(told.some((line) => line.includes(`commerce.${type}`))).toBe(true);
    expect(sent).toMatch(/All of it arrived, in \d+\.\d s/);

    const [order, ...others] = await listed('commerce/orders');
    expect(others).toEqual([]);
    expect(order).toMatchObject({ status: 'completed', payment_status: 'paid', fulfillment_status: 'delivered' });
    const [entry] = await rows(`select c.status, c.event_id, c.meet_url, b.starts_at, b.status as booking
                                  from booking_calendars c join bookings b on b.id = c.booking_id`);
    expect(entry).toMatchObject({ status: 'synced', booking: 'confirmed', meet_url: link });
    const there = (await (await fetch(`${installation.sandbox_url}/_control/calendar/events`)).json()) as { events: Entry[] };
    const event = there.events.find(({ id }) => id === entry.event_id);
    expect(event).toMatchObject({ status: 'confirmed', hangoutLink: link, start: { dateTime: startsAt } });
    expect(Date.parse(startsAt!)).toBe(entry.starts_at.getTime());
    expect(await listed('settings/developer/webhooks/endpoints')).toEqual([]);
    // What is still to be looked at in an hour breaks nothing.
    const check = await command(['jobs', 'check'], { DATABASE_URL: installation.database_url });
    expect(check).toEqual({ code: 0, stdout: 'clean\n', stderr: '' });
  },
  limitMs,
);

test(
  'the demo of a flow goes from the form that is sent to the words of its answer',
  async () => {
    const { code, stdout, stderr } = await command(['demo', 'flow'], { KANAL_HOME: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const chapters = stdout.split(/^(?=\d {2})/m);
    expect(chapters).toHaveLength(5);
    const [, , , form, answer] = chapters;
    // The answer may come after the worker's call.
    for (const line of [/201 queued/, /POST \/\d+\/messages +answered 200/, /the message is read/]) expect(form).toMatch(line);
    expect(answer).toMatch(/contact +→ provider +the form/);
    for (const webhook of ['message\\.new', 'flow\\.response_received'])
      expect(answer).toMatch(new RegExp(`${webhook} +✓ signature right`));
    expect(answer).toContain('Your rating: Very good, Comment: Fresh and early');
    expect(answer).toContain('All of it arrived');
    const [flow, ...others] = await listed('flows');
    expect(others).toEqual([]);
    expect(flow).toMatchObject({ name: 'Order feedback', status: 'published' });
    expect(await listed('settings/developer/webhooks/endpoints')).toEqual([]);
  },
  limitMs,
);

test(
  'the demo of a campaign goes from its draft to the history of one contact, and can be played again',
  async () => {
    for (const times of [1, 2]) {
      const { code, stdout, stderr } = await command(['demo', 'campaign'], { KANAL_HOME: home });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const chapters = stdout.split(/^(?=\d {2})/m);
      expect(chapters).toHaveLength(7);
      const [, , , asked, started, read, who] = chapters;
      expect(asked).toMatch(/200 3 of 4 +1 without consent; "Hi \w+, everything in the shop is 20 % off until Sunday\."/);
      const right = ' +✓ signature right';
      for (const webhook of [
        'campaign\\.status_update running',
        'campaign\\.status_update completed',
        'campaign\\.completed completed',
      ])
        expect(started).toMatch(new RegExp(`${webhook}${right}`));
      expect([...started!.matchAll(/POST \/\d+\/messages +answered 200/g)]).toHaveLength(3);
      expect([...read!.matchAll(/message\.status_update read +✓ signature right/g)]).toHaveLength(3);
      expect(who).toMatch(/200 completed +4 recipients: 3 read, 1 skipped\n/);
      expect(who).toMatch(/Dewi: consent_required\n/);
      expect(who).toMatch(/Spring sale \(copy\), completed: read\n/);
      expect(who).toContain('All of it arrived');
      expect((await listed('campaigns')).filter(({ status }) => status === 'completed')).toHaveLength(times);
    }
    const originals = (await listed('campaigns')).filter(({ name }) => name === 'Spring sale');
    expect(originals).toMatchObject([{ status: 'draft' }]);
    expect(await listed('settings/developer/webhooks/endpoints')).toEqual([]);
  },
  limitMs,
);

test(
  'the demo of a rule goes from the keyword to what its run did, and can be played again',
  async () => {
    for (const times of [1, 2]) {
      const { code, stdout, stderr } = await command(['demo', 'rule'], { KANAL_HOME: home });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const chapters = stdout.split(/^(?=\d {2})/m);
      expect(chapters).toHaveLength(6);
      const [, , rule, written, acts, asked] = chapters;
      expect(rule).toMatch(/200 live +"Price list", version 1: price → answer, mark, call\n/);
      expect(written).toMatch(/"What is the price of a seat\?"[\s\S]*message\.new +✓ signature right/);
      const right = ' +✓ signature right';
      for (const webhook of ['task\\.created open', 'message\\.sent', 'message\\.status_update read'])
        expect(acts).toMatch(new RegExp(`${webhook}${right}`));
      expect([...acts!.matchAll(/POST \/\d+\/messages +answered 200/g)]).toHaveLength(1);
      expect(asked).toMatch(/200 succeeded +run \S+: answer done, mark done, call done\n/);
      expect(asked).toMatch(/tags: asked for prices\n/);
      expect(asked).toMatch(/task: Call Demo Contact with an offer\n/);
      expect(asked).toContain('All of it arrived');
      expect((await listed('automation/runs')).filter(({ state }) => state === 'succeeded')).toHaveLength(times);
    }
    const [rule, ...others] = await listed('automation/rules');
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ status: 'live', version: 1 });
    expect(await listed('settings/developer/webhooks/endpoints')).toEqual([]);
  },
  limitMs,
);

test('a scene that is not there is named, with those that are', async () => {
  expect(await command(['demo', 'constructor'], { KANAL_HOME: home })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is no scene "constructor": there are campaign, conversation, flow, order, rule\n',
  });
});

test('what does not come is named, and the exit code tells', async () => {
  writeFileSync(join(stranger, 'demo.json'), JSON.stringify({ ...installation, api_key: 'kk_nobody' }));
  const refused = await command(['demo'], { KANAL_HOME: stranger });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^\nMissing: 201 to POST .*: the answer was 401/) });

  const { signal } = new AbortController();
  const waiting = untilNothing(() => ['the webhook message.sent', 'a call'], { signal }, 50);
  await expect(waiting).rejects.toThrow(new Missing('the webhook message.sent and a call: not there after 0.05 s'));
});

test('where nothing runs it says in one line how to start', async () => {
  const away = { ...installation, base_url: 'http://127.0.0.1:1' };
  writeFileSync(join(stranger, 'demo.json'), JSON.stringify(away));
  for (const path of [stranger, join(stranger, 'none')]) {
    const result = await command(['demo'], { KANAL_HOME: path });
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Kanal is not running here\. .*npm start.*\n$/),
    });
  }
});

test('steps are shown by time, each with the time since the one before', () => {
  const lines: string[] = [];
  const timeline = createTimeline((line) => lines.push(line));
  timeline.chapter('One');
  timeline.add({ at: 1_012, from: 'Kanal', to: 'your app', what: 'second' });
  timeline.add({ at: 1_000, from: 'your app', to: 'Kanal', what: 'first' });
  timeline.show();
  timeline.add({ at: 1_100, from: 'Kanal', to: 'provider', what: 'third' });
  timeline.show();
  expect(lines.slice(1).map((line) => line.trim().split(/ {2,}/).join(' | '))).toEqual([
    '0 ms | your app → Kanal | first',
    '12 ms | +12 ms | Kanal | → your app | second',
    '100 ms | +88 ms | Kanal | → provider | third',
  ]);
});
