import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { DemoFile } from '../../cli/start/demo-file.ts';
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

const rows = async (statement: string) => {
  const client = new pg.Client({ connectionString: installation.database_url });
  await client.connect();
  const { rows: found } = await client.query(statement);
  await client.end();
  return found;
};

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
    // It takes seconds: on a machine that does much else, only a wait for something that never comes takes so long.
    const [, seconds] = /All of it arrived, in (\d+\.\d) s/.exec(sent!) ?? [];
    expect(Number(seconds)).toBeLessThan(60);

    const states = await rows('select status, payment_status, fulfillment_status from orders');
    expect(states).toEqual([{ status: 'completed', payment_status: 'paid', fulfillment_status: 'delivered' }]);
    const [entry] = await rows(`select c.status, c.event_id, c.meet_url, b.starts_at, b.status as booking
                                  from booking_calendars c join bookings b on b.id = c.booking_id`);
    expect(entry).toMatchObject({ status: 'synced', booking: 'confirmed', meet_url: link });
    const there = (await (await fetch(`${installation.sandbox_url}/_control/calendar/events`)).json()) as { events: Entry[] };
    const event = there.events.find(({ id }) => id === entry.event_id);
    expect(event).toMatchObject({ status: 'confirmed', hangoutLink: link, start: { dateTime: startsAt } });
    expect(Date.parse(startsAt!)).toBe(entry.starts_at.getTime());
    expect(await rows('select id from webhook_endpoints where deleted_at is null')).toEqual([]);
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
    expect(await rows('select name, status from flows')).toEqual([{ name: 'Order feedback', status: 'published' }]);
    expect(await rows('select id from webhook_endpoints where deleted_at is null')).toEqual([]);
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
      expect(await rows(`select id from campaigns where status = 'completed'`)).toHaveLength(times);
    }
    expect(await rows(`select status from campaigns where name = 'Spring sale'`)).toEqual([{ status: 'draft' }]);
    expect(await rows('select id from webhook_endpoints where deleted_at is null')).toEqual([]);
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
      expect(await rows(`select id from automation_runs where state = 'succeeded'`)).toHaveLength(times);
    }
    expect(await rows('select status, version from automation_rules')).toEqual([{ status: 'live', version: 1 }]);
    expect(await rows('select id from webhook_endpoints where deleted_at is null')).toEqual([]);
  },
  limitMs,
);

test('an answer that does not come is named, and sets the exit code', async () => {
  writeFileSync(join(stranger, 'demo.json'), JSON.stringify({ ...installation, api_key: 'kk_nobody' }));
  const refused = await command(['demo'], { KANAL_HOME: stranger });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^\nMissing: 201 to POST .*: the answer was 401/) });
});
