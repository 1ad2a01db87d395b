import { styleText } from 'node:util';
import { readStartEnvironment } from '../src/platform/config/config.ts';
import { playCampaign } from './demo/campaign.ts';
import { ending } from './demo/ending.ts';
import { removeEndpoints } from './demo/endpoint.ts';
import { playFlow } from './demo/flow.ts';
import { runningInstallation } from './demo/installation.ts';
import { play } from './demo/journey.ts';
import { playOrder } from './demo/order.ts';
import { startReceiver } from './demo/receiver.ts';
import { playRule } from './demo/rule.ts';
import { Missing, type Play, type Stage } from './demo/stage.ts';
import { createTimeline } from './demo/timeline.ts';
import type { DemoFile } from './start/demo-file.ts';

const scenes: Record<string, { title: string; play: Play }> = {
  campaign: { title: 'A campaign to a segment', play: playCampaign },
  conversation: { title: 'One conversation', play },
  flow: { title: 'A form inside the chat', play: playFlow },
  order: { title: 'An order, its payment, its booking and its parcel', play: playOrder },
  rule: { title: 'A keyword that a rule answers', play: playRule },
};

/** One conversation from end to end, against what `npm start` has started. `name`: of another scene. */
export async function demo(name = 'conversation') {
  const scene = Object.hasOwn(scenes, name) ? scenes[name]! : undefined;
  if (!scene) throw new Error(`There is no scene "${name}": there are ${Object.keys(scenes).join(', ')}`);
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort(new Error('Broken off')));
  const installation = await runningInstallation(readStartEnvironment().kanalHome, interrupted.signal);
  if (!installation)
    throw new Error('Kanal is not running here. Start it with `npm start`, then ask again in a second terminal: npm run demo');
  await playOn(scene, installation, interrupted.signal);
}

async function playOn({ title, play: playScene }: (typeof scenes)[string], installation: DemoFile, signal: AbortSignal) {
  const { base_url, bull_board } = installation;
  const startedAt = performance.now();
  const timeline = createTimeline((line) => console.log(line));
  const receiver = await startReceiver();
  const stage: Stage = { installation, receiver, timeline, signal };
  let endpointId: string | undefined;
  timeline.say(`${title} with Kanal at ${base_url}, as it happens`);
  try {
    const played = await playScene(stage, (id) => {
      endpointId = id;
    });
    await ending(stage, played, performance.now() - startedAt);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.error(`\n${styleText('red', 'Missing', { stream: process.stderr })}: ${error.message}`);
    console.error(`Failed jobs and their reasons: ${bull_board.url}  (${bull_board.user} / ${bull_board.password})`);
    console.error('Work that waits for something, and what releases it: docs/operations.md');
    process.exitCode = 1;
  } finally {
    receiver.close();
    await removeEndpoints(installation, endpointId);
  }
}
