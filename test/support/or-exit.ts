/** The result of `read` for the command line; an error is printed in one line, with exit code 2. */
export function orExit<T>(read: (args: readonly string[]) => T): T {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}
