import { styleText } from 'node:util';
import { callsFor } from './provider.ts';
import { Missing, type Played, type Stage } from './stage.ts';

/** What held over the whole of it. Throws Missing where it did not. */
export async function ending(stage: Stage, { sent, received, rest }: Played, tookMs: number) {
  const { receiver, timeline, installation } = stage;
  const wrong = receiver.arrivals.filter(({ isSigned }) => !isSigned);
  if (wrong.length > 0) throw new Missing(`A right signature on ${wrong.map(({ type }) => type).join(', ')}`);
  for (const id of sent) {
    const { length } = await callsFor(stage, id);
    if (length !== 1) throw new Missing(`Exactly one call of the provider for the message ${id}: there were ${length}`);
  }
  const refused = receiver.arrivals.filter(({ answer }) => answer >= 300).length;
  const { bull_board, docs_url } = installation;
  const good = (text: string) => styleText('green', text);
  timeline.say(`
${styleText('bold', `All of it arrived, in ${(tookMs / 1_000).toFixed(1)} s`)}

${sent.length + received === 0 ? '' : `  Messages   ${sent.length} sent and read, ${good('each sent to the provider once')}; ${received} received\n`}  Webhooks   ${receiver.arrivals.length} arrived, ${good('every signature right')}; ${refused} refused on purpose and repeated
  ${rest.what.padEnd(9)}  ${good(rest.outcome)}, ${rest.note}

  Queues     ${bull_board.url}  (${bull_board.user} / ${bull_board.password})
  Docs       ${docs_url}
`);
}
