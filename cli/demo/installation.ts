import { join, resolve } from 'node:path';
import type { DemoFile } from '../start/demo-file.ts';
import { readIfThere } from '../start/files.ts';
import { ask } from '../start/local-http.ts';

/** What `npm start` has written down, when it still answers: the file outlives the processes. */
export async function runningInstallation(home: string, signal: AbortSignal): Promise<DemoFile | undefined> {
  const text = readIfThere(join(resolve(home), 'demo.json'));
  if (!text) return undefined;
  const installation = JSON.parse(text) as DemoFile;
  const answer = await ask(`${installation.base_url}/healthz`, { signal });
  return answer?.status === 200 ? installation : undefined;
}
