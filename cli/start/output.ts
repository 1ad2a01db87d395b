export type Output = {
  say(line: string): void;
  /** Runs a step and, when asked to be verbose, says how long it took. */
  step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
};

export function createOutput(isVerbose: boolean): Output {
  // The terminal may close before the process ends.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return {
    say: (line) => console.log(line),
    async step(name, work) {
      const startedAt = performance.now();
      const result = await work();
      if (isVerbose)
        console.log(`  ${name}: ${Math.round(performance.now() - startedAt)} ms, at ${Math.round(performance.now())} ms`);
      return result;
    },
  };
}
