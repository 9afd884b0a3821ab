/** A handler of a socket, pipe or child process that never throws: an error would end the process, with orders open. */
export const guarded =
  <Args extends readonly unknown[]>(handle: (...args: Args) => void, onFailure: (error: unknown) => void) =>
  (...args: Args): void => {
    try {
      handle(...args);
    } catch (error) {
      onFailure(error);
    }
  };
