import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';

/** A webhook receiver that believes nobody: each id once, each signature right. Answers its parent with what it saw. */
type Question = { secret?: string; reset?: true; report?: true };
export type Report = {
  distinct: number;
  repeats: number;
  forged: number;
  firstAt: number;
  lastAt: number;
  arrivals: Record<string, number>;
};

let key = Buffer.alloc(0);
let arrivals = new Map<string, number>();
let [repeats, forged] = [0, 0];
const now = () => performance.timeOrigin + performance.now();

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(200, { 'content-length': 0 }).end();
    const at = now();
    const id = String(request.headers['webhook-id']);
    const signed = createHmac('sha256', key)
      .update(`${id}.${request.headers['webhook-timestamp']}.`)
      .update(Buffer.concat(chunks));
    if (request.headers['webhook-signature'] !== `v1,${signed.digest('base64')}`) forged += 1;
    if (arrivals.has(id)) repeats += 1;
    else arrivals.set(id, at);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');

process.on('message', ({ secret, reset, report }: Question) => {
  if (secret) key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  if (reset) {
    arrivals = new Map();
    [repeats, forged] = [0, 0];
  }
  if (!secret && !reset && report === undefined) return; // the probe's question
  const times = [...arrivals.values()];
  const bounds = { firstAt: times[0] ?? 0, lastAt: times.at(-1) ?? 0 };
  const answer: Report = {
    distinct: arrivals.size,
    repeats,
    forged,
    ...bounds,
    arrivals: report ? Object.fromEntries(arrivals) : {},
  };
  process.send?.(answer);
});
