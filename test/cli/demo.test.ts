import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Missing } from '../../cli/demo/stage.ts';
import { createTimeline } from '../../cli/demo/timeline.ts';
import { untilNothing } from '../../cli/demo/wait.ts';
import { inProcess } from './in-process.ts';

const home = mkdtempSync(join(tmpdir(), 'kanal-demo-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('a scene that is not there is named, with those that are', async () => {
  expect(await inProcess(['demo', 'constructor'], { KANAL_HOME: home })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is no scene "constructor": there are campaign, conversation, flow, order, rule\n',
  });
});

test('a step that does not come is named', async () => {
  const { signal } = new AbortController();
  const waiting = untilNothing(() => ['the webhook message.sent', 'a call'], { signal }, 50);
  await expect(waiting).rejects.toThrow(new Missing('the webhook message.sent and a call: not there after 0.05 s'));
});

test('where nothing runs it says in one line how to start', async () => {
  writeFileSync(join(home, 'demo.json'), JSON.stringify({ base_url: 'http://127.0.0.1:1' }));
  for (const path of [home, join(home, 'none')]) {
    const result = await inProcess(['demo'], { KANAL_HOME: path });
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
