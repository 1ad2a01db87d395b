/** Made by the first call; one that failed is made again by the next. `made` looks without making. */
export function madeOnce<Made>(make: () => Promise<Made>): { get(): Promise<Made>; made(): Promise<Made> | undefined } {
  let made: Promise<Made> | undefined;
  return {
    get() {
      made ??= make().catch((error) => {
        made = undefined;
        throw error;
      });
      return made;
    },
    made: () => made,
  };
}
