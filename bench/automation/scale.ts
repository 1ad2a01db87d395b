import { Client } from 'undici';
import { idsOf } from '../scale-owner.ts';
import { type Measured, measureReads, pageSize, readTables, requests } from '../scale-reads.ts';
import type { Stage } from '../stage.ts';
import { type Dataset, type Owner, seedRuns } from './dataset.ts';
import { type Asked, reads } from './reads.ts';

export type RunsScale = Dataset & { seconds: number; measured: Measured[]; walks: string[] };

/** The same reads of an organization of many runs and of one of ten thousand, one request at a time, in turns. */
export async function runsScale({ kanal }: Stage, rows: number): Promise<RunsScale> {
  const startedAt = performance.now();
  const dataset = await seedRuns(kanal.sql, rows);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`automation-reads: ${rows} runs in ${seconds.toFixed(0)} s`);
  const web = await kanal.startWeb();
  const client = new Client(web.base);
  async function samplesOf(owner: Owner): Promise<Asked[]> {
    const runs = await idsOf(kanal.sql, 'automation_runs', owner, requests);
    const contacts = await idsOf(kanal.sql, 'contacts', owner, requests);
    return runs.map((runId, index) => ({ owner, cursor: '', runId, contactId: contacts[index % contacts.length]! }));
  }
  try {
    const samples = { large: await samplesOf(dataset.large), small: await samplesOf(dataset.small) };
    return { ...dataset, seconds, ...(await measureReads('automation-reads', { kanal, client, rows }, reads, samples)) };
  } finally {
    await Promise.all([client.close(), web.process.stop()]);
  }
}

const whole = (count: number) => count.toLocaleString('en-US');

export function runsReport({ large, small, seconds, measured }: RunsScale): string {
  return [
    `An organization of ${whole(large.rows)} runs and one of ${whole(small.rows)}, of ten rules each, with three steps a run, made in ${seconds.toFixed(0)} s; pages of ${pageSize}, one request at a time, in turns. Above 50,000 runs statistics of all time are those of a few seconds ago; they are counted again now and then.`,
    '',
    ...readTables(measured, { small: small.rows, large: large.rows }),
  ].join('\n');
}
