/**
 * Configuration: YAML in, one frozen `Config` out, with everything resolved, bounded and defaulted once. It reads files
 * and loads strategy modules, nothing else: environment variables come in as an argument, secrets never pass through
 * here. Whatever cannot be used is an error that names file, line, column and what to write instead, because the person
 * who reads it is about to trust this program with money.
 *
 * `load.ts` is the way in; `types.ts` is what comes out.
 */
export {};
