/** For programs that keep orders, fills and recordings: whatever they write is their user's alone. */

const FOR_ITS_OWNER = 0o077;

/** From here on files of this process and of those that it starts are made so, whoever makes them: SQLite and DuckDB too. */
export const keepFilesPrivate = (): void => void process.umask(FOR_ITS_OWNER);
