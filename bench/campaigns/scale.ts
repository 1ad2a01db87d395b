import { Client } from 'undici';
import { idsOf } from '../scale-owner.ts';
import { type Measured, measureReads, pageSize, readTables, requests } from '../scale-reads.ts';
import type { Stage } from '../stage.ts';
import { type Dataset, type Owner, seedCampaigns } from './dataset.ts';
import { type Asked, reads } from './reads.ts';

export type CampaignsScale = Dataset & { seconds: number; measured: Measured[]; walks: string[] };

/** The same reads of a large campaign and of one of ten thousand, one request at a time, in turns. */
export async function campaignsScale({ kanal }: Stage, rows: number): Promise<CampaignsScale> {
  const startedAt = performance.now();
  const dataset = await seedCampaigns(kanal.sql, rows);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`campaign-reads: ${rows} recipients in ${seconds.toFixed(0)} s`);
  const web = await kanal.startWeb();
  const client = new Client(web.base);
  const samplesOf = async (owner: Owner): Promise<Asked[]> =>
    (await idsOf(kanal.sql, 'contacts', owner, requests)).map((contactId) => ({ owner, cursor: '', contactId }));
  try {
    const samples = { large: await samplesOf(dataset.large), small: await samplesOf(dataset.small) };
    return { ...dataset, seconds, ...(await measureReads('campaign-reads', { kanal, client, rows }, reads, samples)) };
  } finally {
    await Promise.all([client.close(), web.process.stop()]);
  }
}

const whole = (count: number) => count.toLocaleString('en-US');

export function campaignsReport({ large, small, seconds, measured }: CampaignsScale): string {
  return [
    `A campaign of ${whole(large.rows)} recipients in one organization, one of ${whole(small.rows)} in another, and a hundred small ones in each, made in ${seconds.toFixed(0)} s; pages of ${pageSize}, one request at a time, in turns. Above 50,000 recipients counts and statistics are those of a few seconds ago; the large campaign is counted again now and then.`,
    '',
    ...readTables(measured, { small: small.rows, large: large.rows }),
  ].join('\n');
}
