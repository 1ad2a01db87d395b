import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Missing } from '../../cli/demo/stage.ts';
import { createTimeline } from '../../cli/demo/timeline.ts';
import { untilNothing } from '../../cli/demo/wait.ts';
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
    expect(chapters).toHaveLength(7);
    const [, endpoint, question, text, again, template, reply] = chapters;
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
    expect(reply).toContain('All of it arrived');
    for (const link of [installation.bull_board.url, installation.docs_url]) expect(reply).toContain(link);
    for (const chapter of chapters.slice(1)) {
      const times = [...chapter.matchAll(/^ *(\d+) ms /gm)].map(([, ms]) => Number(ms));
      expect(times).toEqual([...times].sort((one, other) => one - other));
    }
    // No terminal: not one escape.
    expect(stdout).not.toContain('\u001b');
    expect(await rows('select id from webhook_endpoints where deleted_at is null')).toEqual([]);
    expect(await rows(`select id from jobs where subject_type = 'webhook_delivery'`)).toEqual([]);
  },
  limitMs,
);

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
