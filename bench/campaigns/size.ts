import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from '../memory.ts';
import type { Stage } from '../stage.ts';
import { openCampaigner, rate, resetProvider, started } from './campaigner.ts';
import { addPeople } from './people.ts';

const channelCount = 4;
const fifths = 5;
const lookMs = 1_000;
/** So long nothing may stand still. */
const standstillMs = 120_000;
/** Jobs of the campaign itself, and what other work has at any time. */
const otherJobs = 100;

export type Size = {
  recipients: number;
  completed: number;
  seconds: number;
  prepareSeconds: number;
  /** Resident memory of the worker in MB, the most of each fifth of the campaign. */
  peaks: number[];
  maxJobs: number;
  allowedJobs: number;
  status: string;
};

const seenStatement = `
  select c.status, c.phase,
         (select count(*)::int from jobs) as jobs,
         (select count(*)::int from messages m where m.organization_id = c.organization_id and m.campaign_id = c.id) as messages
    from campaigns c
   where c.organization_id = $1
     and c.id = $2`;

/** From the start's request until the campaign is completed, at the rate of four channels; the provider keeps none. One worker. */
export async function sizeBench(stage: Stage, recipients: number): Promise<Size> {
  const { kanal, sandbox } = stage;
  const campaigner = await openCampaigner(stage, { rates: Array.from({ length: channelCount }, () => rate) });
  const { organizationId } = campaigner.tenant;
  await addPeople(kanal.sql, { organizationId, count: recipients, group: 'all' });
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const peaks = Array.from({ length: fifths }, () => 0);
  const allowedJobs = 2 * rate * channelCount + otherJobs;
  const size: Size = { recipients, completed: 0, seconds: 0, prepareSeconds: 0, peaks, maxJobs: 0, allowedJobs, status: '' };
  try {
    await resetProvider(stage, [campaigner]);
    const startedAt = performance.now();
    const sinceStart = () => (performance.now() - startedAt) / 1_000;
    const id = await started(base, campaigner.tenant, 'all', campaigner.channels);
    for (let movedAt = performance.now(); performance.now() < movedAt + standstillMs; await sleep(lookMs)) {
      const { rows } = await kanal.sql.query(seenStatement, [organizationId, id]);
      const { status, phase, jobs, messages } = rows[0];
      const [resident] = await residentMb([worker]);
      const fifth = Math.min(fifths - 1, Math.floor((messages / recipients) * fifths));
      peaks[fifth] = Math.max(peaks[fifth]!, resident!);
      size.maxJobs = Math.max(size.maxJobs, jobs);
      if (phase !== 'preparing' && size.prepareSeconds === 0) size.prepareSeconds = sinceStart();
      if (messages !== size.completed || phase === 'preparing') movedAt = performance.now();
      Object.assign(size, { completed: messages, seconds: sinceStart(), status });
      if (status !== 'running') break;
    }
    return size;
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
    await sandbox.control('DELETE', '/');
  }
}

/** Each fifth's peak within a tenth of the first. */
const slack = 0.1;

export function sizeReport({ recipients, completed, seconds, prepareSeconds, peaks, maxJobs, allowedJobs, status }: Size) {
  const isFlat = peaks.every((peak) => peak <= peaks[0]! * (1 + slack));
  return [
    `${recipients} recipients over ${channelCount} channels of ${rate} a second, one worker: ${status} after ${seconds.toFixed(0)} s, ${completed} messages; the audience was there after ${prepareSeconds.toFixed(1)} s.`,
    '',
    '| what | measured | aim | held |',
    '| --- | --- | --- | --- |',
    `| memory of the worker, the most of each fifth, MB | ${peaks.map((peak) => peak.toFixed(0)).join(', ')} | each within 10 % of the first | ${isFlat ? 'yes' : '**no**'} |`,
    `| rows of \`jobs\` | at most ${maxJobs} | at most ${allowedJobs}: two seconds of the rates, and ${otherJobs} | ${maxJobs <= allowedJobs ? 'yes' : '**no**'} |`,
  ].join('\n');
}
