import { Context, type Template } from 'liquidjs';
import { cut } from '../platform/cut.ts';
import { engine } from './engine.ts';
import { maxMs } from './limits.ts';

/** `at`: the place of the text; its message begins with it. */
export class TextFailed extends Error {
  readonly at: string;

  constructor(at: string, message: string) {
    super(`${at}${message}`);
    this.at = at;
  }
}
class OutOfTime extends TextFailed {}

/** Renders one of the texts. `at`: its place, for the message. Throws TextFailed. */
export type RenderText = (templates: Template[], at: string) => string;
/** What the work of `together` renders with. `read`: for a value that is no text. */
export type Rendering = { text: RenderText; read<T>(at: string, work: (context: Context) => T): T };

/** On a machine that is so busy that it stops the process again and again. */
const maxAttempts = 8;
/** What a text may take of the clock then. */
const maxBusyMs = 4 * maxMs;
/** What took so much of the processor's time is slow itself. */
const slowMs = 0.75 * maxMs;
/** Once more for such a text: a shared machine is several times slower for moments. Both together stay within 50 ms. */
const secondMs = 1.5 * maxMs;

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * `timezone`: the IANA zone in which the `date` filter shows times.
 * All texts that are rendered in `work` share one limit of work and one of time, and none sees what another assigns.
 * Throws TextFailed; its message names the place, and holds no value of the scope. `work` may run several times.
 */
export function together<T>(scope: Record<string, unknown>, timezone: string, work: (rendering: Rendering) => T): T {
  const options = { ...engine.options, timezoneOffset: timezone };
  let limitMs = maxMs;
  let slow = 0;
  for (let attempts = 1; ; attempts += 1) {
    const before = spentMs();
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof OutOfTime) || attempts === maxAttempts) throw error;
      // The clock also counts while the process is stopped, or collects garbage: slow is what took the processor's time, twice.
      if (spentMs() - before < slowMs) limitMs = Math.min(2 * limitMs, maxBusyMs);
      else if (++slow === 2) throw error;
      else limitMs = Math.max(limitMs, secondMs);
    }
  }

  function attempt(): T {
    const limits = new Context(scope, options, { sync: true, renderLimit: limitMs }, { liquid: engine });
    const read = <V>(at: string, inContext: (context: Context) => V): V => {
      try {
        return inContext(limits.spawn(scope));
      } catch (error) {
        const message = messageOf(error);
        throw /template render limit/.test(message) ? new OutOfTime(at, ' takes too long') : new TextFailed(at, `: ${message}`);
      }
    };
    return work({
      read,
      text: (templates, at) => read(at, (context) => String(engine.renderSync(templates, context))),
    });
  }
}

/** A name that another value gives would tell that value: the name as the text has it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It cannot be rendered';
  if (error.name === 'UndefinedVariableError' && 'token' in error) {
    const { token } = error as { token: { getText(): string } };
    return `${cut(token.getText(), 100)} is missing`;
  }
  if (/memory alloc limit/.test(error.message)) return 'It takes too much work';
  return cut(error.message.split('\n')[0]!, 200);
}
