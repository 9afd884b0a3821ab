/** `2026-11-28 10:21:03` in UTC. @param ms Unix time, ms */
export const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
