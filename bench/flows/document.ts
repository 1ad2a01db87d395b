import { jsonBuilder } from '../../src/flows/given-document.ts';
import type { Process } from '../processes.ts';
import type { Side, Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { insertFlow } from './insert.ts';

/** As many bytes as the endpoint takes. */
const documentBytes = 10 * 2 ** 20;
/** A little fewer than it takes. */
const values = 95_000;
const aimMs = 100;

const screen = (children: string) =>
  `{"id":"A","title":"A","terminal":true,"layout":{"type":"SingleColumnLayout","children":[${children}]}}`;
const image = (src: string) => `{"type":"Image","src":"${src}"}`;
const footer = '{"type":"Footer","label":"Go","on-click-action":{"name":"complete","payload":{}}}';
const documentOf = (number: number, children: string) =>
  `{"version":"7.2","n":${number},"screens":[${screen(`${children},${footer}`)}]}`;

/** `number`: each is another document, or nothing would be written. */
const shapes: Record<string, (number: number) => string> = {
  'one image': (number) => documentOf(number, image('A'.repeat(documentBytes - 1_000))),
  'many values': (number) => {
    const of = Math.floor(values / 3);
    const word = 'word '.repeat(Math.floor((documentBytes / of - 40) / 5));
    return documentOf(number, Array.from({ length: of }, () => `{"type":"TextBody","text":"${word}"}`).join(','));
  },
};

export type DocumentRound = { shape: string; side: string; blockedMs: number; cpuMs: number; tookMs: number };

/** Puts documents of 10 MiB one after the other, to a web process each side alternately: how long the event loop stood still at most. */
export async function flowDocumentBench({ kanal, floor }: Stage, rounds: number): Promise<DocumentRound[]> {
  const sides = await Promise.all([kanal, floor].map(opened));
  const found: DocumentRound[] = [];
  try {
    // What is loaded and compiled late is no part of it.
    for (const side of sides) for (const of of Object.values(shapes)) for (const n of [1, 2]) await put(side, of(n));
    for (let round = 0; round < rounds; round += 1)
      for (const side of round % 2 === 0 ? sides : sides.toReversed())
        for (const [shape, of] of Object.entries(shapes))
          found.push({ shape, side: side.name, ...(await put(side, of(10 + round))) });
  } finally {
    for (const { process } of sides) await process.stop();
  }
  return found;
}

type Opened = { name: string; process: Process; url: string; apiKey: string };

async function opened(side: Side): Promise<Opened> {
  const id = await insertFlow(side.sql, side.tenant);
  await side.sql.query(`update flows set status = 'draft', builder_json = $2 where id = $1`, [id, jsonBuilder(id, 'Large')]);
  const { process, base } = await side.startWeb();
  return { name: side.name, process, url: `${base}/v1/flows/${id}/flow-json`, apiKey: side.tenant.apiKey };
}

async function put({ process, url, apiKey }: Opened, body: string) {
  const before = await process.usage();
  const startedAt = performance.now();
  const reply = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body,
  });
  await reply.arrayBuffer();
  const tookMs = performance.now() - startedAt;
  if (reply.status !== 200) throw new Error(`A document of ${body.length} bytes: ${reply.status}`);
  const { loopDelayMaxMs, cpuMs } = await process.usage();
  return { blockedMs: loopDelayMaxMs, cpuMs: cpuMs - before.cpuMs, tookMs };
}

export function flowDocumentReport(rounds: DocumentRound[]): string {
  const of = (shape: string, side: string) => rounds.filter((one) => one.shape === shape && one.side === side);
  const both = (shape: string, pick: (round: DocumentRound) => number, digits = 0) =>
    ['kanal', 'floor'].map((side) => median(of(shape, side).map(pick)).toFixed(digits)).join(' / ');
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['10 MiB', 'longest block ms', 'the longest of all rounds', 'CPU ms', 'ms in all', `Kanal ≤ ${aimMs} ms`]),
    line(['---', '---', '---', '---', '---', '---']),
    ...Object.keys(shapes).map((shape) => {
      const most = ['kanal', 'floor'].map((side) => Math.max(...of(shape, side).map(({ blockedMs }) => blockedMs)));
      return line([
        shape,
        both(shape, ({ blockedMs }) => blockedMs, 1),
        most.map((ms) => ms.toFixed(1)).join(' / '),
        both(shape, ({ cpuMs }) => cpuMs),
        both(shape, ({ tookMs }) => tookMs),
        median(of(shape, 'kanal').map(({ blockedMs }) => blockedMs)) <= aimMs ? 'yes' : 'no',
      ]);
    }),
  ].join('\n');
}
