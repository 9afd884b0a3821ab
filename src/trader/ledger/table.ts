/** Class of a ledger table. A declaration of columns gives the DDL, the SQL statements and the conversion of rows. */

/** Type of a value that SQLite stores. */
export type SqlValue = string | number | null;

/** Functions of the ledger's database that a table uses. */
interface TableStore {
  get<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[];
  run(sql: string, ...values: readonly SqlValue[]): number;
  insert(sql: string, ...values: readonly SqlValue[]): number;
}

/** Column of a table, with the conversion between the stored value and the record's field. */
export interface Column<V> {
  readonly name: string;
  /** SQL type and constraints of the column. */
  readonly sql: string;
  readonly read: (stored: SqlValue) => V;
  readonly write: (value: V) => SqlValue;
}

interface Options {
  /** True for a table with a column `seq`, which numbers the rows in the order of their insertion. */
  readonly isPlaced?: boolean;
  readonly constraints?: readonly string[];
  readonly hasRowId?: boolean;
}

/** Booked row with its sequence number, which grows with each booking and is not used again after a deletion. */
export interface Booked<Row> {
  readonly seq: number;
  readonly row: Row;
}

/** Table of records. Methods that write must be called inside a transaction. */
export class LedgerTable<Row> {
  readonly ddl: string;
  readonly #name: string;
  readonly #columns: { readonly [Field in keyof Row]: Column<Row[Field]> };
  readonly #fields: readonly (keyof Row)[];
  /** Fields that an insert writes: all fields whose column has no default value. */
  readonly #inserted: readonly (keyof Row)[];
  readonly #isPlaced: boolean;
  readonly #insertion: string;

  constructor(name: string, columns: { readonly [Field in keyof Row]: Column<Row[Field]> }, options: Options = {}) {
    const { isPlaced = false, constraints = [], hasRowId = true } = options;
    const list: readonly Column<never>[] = Object.values(columns);
    this.#name = name;
    this.#columns = columns;
    this.#isPlaced = isPlaced;
    this.#fields = Object.keys(columns) as (keyof Row)[];
    this.#inserted = this.#fields.filter((field) => !columns[field].sql.includes(' DEFAULT '));
    const place = isPlaced ? ['seq INTEGER PRIMARY KEY'] : [];
    const lines = [...place, ...list.map((column) => `${column.name} ${column.sql}`), ...constraints];
    const kind = hasRowId ? 'STRICT' : 'STRICT, WITHOUT ROWID';
    this.ddl = `CREATE TABLE ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n) ${kind};`;
    const names = [...(isPlaced ? ['seq'] : []), ...this.#inserted.map((field) => columns[field].name)];
    this.#insertion = `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  }

  /** Inserts a record as a row and returns its sequence number: `seq`, or if null, the next free number. */
  insert(db: TableStore, record: Row, seq: number | null = null): number {
    const place = this.#isPlaced ? [seq] : [];
    return db.insert(this.#insertion, ...place, ...this.#store(record, this.#inserted));
  }

  /** Inserts the record, or replaces the row with the same primary key. */
  upsert(db: TableStore, record: Row): void {
    const assignments = this.#inserted.map(
      (field) => `${this.#columns[field].name} = excluded.${this.#columns[field].name}`,
    );
    const sql = `${this.#insertion} ON CONFLICT DO UPDATE SET ${assignments.join(', ')}`;
    db.run(sql, ...this.#store(record, this.#inserted));
  }

  /** Returns a function that writes the given fields of a record into the row with the same `key`. */
  updater(key: keyof Row, fields: readonly (keyof Row)[]): (db: TableStore, record: Row) => void {
    const assignments = fields.map((field) => `${this.#columns[field].name} = ?`).join(', ');
    const sql = `UPDATE ${this.#name} SET ${assignments} WHERE ${this.#columns[key].name} = ?`;
    return (db, record) => {
      db.run(sql, ...this.#store(record, [...fields, key]));
    };
  }

  /** Returns the record with this value of `key`; null if there is no such record. */
  find(db: TableStore, key: keyof Row, value: string): Row | null {
    const row = db.get<StoredRow>(`SELECT * FROM ${this.#name} WHERE ${this.#columns[key].name} = ?`, value);
    return row === undefined ? null : this.#read(row);
  }

  /** Returns the selected records. `rest` is the part of the query's SQL after the table name. */
  list(db: TableStore, rest: string, ...values: readonly SqlValue[]): Row[] {
    return this.#all(db, rest, values).map((row) => this.#read(row));
  }

  /** Returns the table's rows with sequence numbers above `seq`, in ascending order. `limit` -1: all rows. */
  listAfter(db: TableStore, seq: number, limit = -1): Booked<Row>[] {
    return this.#all(db, 'WHERE seq > ? ORDER BY seq LIMIT ?', [seq, limit]).map((row) => ({
      seq: Number(row['seq']),
      row: this.#read(row),
    }));
  }

  #all(db: TableStore, rest: string, values: readonly SqlValue[]): StoredRow[] {
    return db.all<StoredRow>(`SELECT * FROM ${this.#name} ${rest}`, ...values);
  }

  #store(record: Row, fields: readonly (keyof Row)[]): SqlValue[] {
    return fields.map((field) => this.#columns[field].write(record[field]));
  }

  #read(row: StoredRow): Row {
    const record: Partial<Row> = {};
    for (const field of this.#fields) {
      const { name, read } = this.#columns[field];
      record[field] = read(row[name] ?? null);
    }
    return record as Row;
  }
}

type StoredRow = Readonly<Record<string, SqlValue>>;
