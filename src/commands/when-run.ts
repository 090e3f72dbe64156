/**
 * The action of a command. Its work is loaded when the command runs, because most commands need a fraction of the program and
 * a help text needs none of it.
 */
export const whenRun =
  <Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<void>>) =>
  async (...given: Given): Promise<void> => {
    await (
      await load()
    )(...given);
  };
