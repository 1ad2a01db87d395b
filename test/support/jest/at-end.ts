type Act = () => Promise<unknown> | unknown;

const acts: Act[] = [];

/** For what files of one process share: it lives until the run ends. */
export const atEndOfRun = (act: Act) => void acts.push(act);

export async function endRun(): Promise<void> {
  for (const act of acts.splice(0)) await act();
}
