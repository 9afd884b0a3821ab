/**
 * A handler of a socket, a pipe or a child process that never throws: `onFailure` receives the error instead. An error that
 * left such a handler would end the process, with its orders at the exchange.
 */
export const guarded =
  <Args extends readonly unknown[]>(handle: (...args: Args) => void, onFailure: (error: unknown) => void) =>
  (...args: Args): void => {
    try {
      handle(...args);
    } catch (error) {
      onFailure(error);
    }
  };
