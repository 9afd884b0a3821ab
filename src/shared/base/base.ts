/**
 * The base room: exact millionths, decimal strings, seeded randomness, errors. Imports nothing; knows no market, clock
 * or file. Import the file that you need; this one only documents the room.
 */
export {};
