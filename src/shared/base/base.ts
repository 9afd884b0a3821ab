/**
 * The ground floor: exact millionths, decimal strings, seeded randomness, errors. Imports nothing; knows no market,
 * no clock and no file. Import the file that you need; this front file only documents the purpose of the room.
 */
export {};
