/** Reads the project's source files as plain facts: imports, exports, declarations and comments. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Comment, type Node, parseSync } from 'oxc-parser';
import { walk } from './walk.js';

export interface ImportFact {
  /** The text between the quotes. */
  readonly specifier: string;
  /** The imported file relative to the project's root, or null for a module of npm or of Node. */
  readonly file: string | null;
  readonly typeOnly: boolean;
  readonly names: readonly string[];
}

export interface ExportFact {
  readonly name: string;
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'value';
  readonly documented: boolean;
  readonly line: number;
}

export interface FunctionFact {
  readonly name: string;
  readonly line: number;
  /** Lines of the function, without those of record literals after the first. */
  readonly lines: number;
}

export interface SourceFile {
  /** Relative to the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly ImportFact[];
  readonly exports: readonly ExportFact[];
  readonly functions: readonly FunctionFact[];
  /** Object literals spread into object literals. */
  readonly literalSpreads: number;
}

/** All TypeScript files below some folders of the project. */
export function readSourceTree(root: string, folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => readSourceFile(root, path));
}

/** By absolute path, so that a process reads each file once. */
const known = new Map<string, SourceFile>();

function readSourceFile(root: string, absolute: string): SourceFile {
  const file = known.get(absolute) ?? parseSourceFile(root, absolute);
  known.set(absolute, file);
  return file;
}

function parseSourceFile(root: string, absolute: string): SourceFile {
  const text = readFileSync(absolute, 'utf8');
  const path = relative(root, absolute).replaceAll('\\', '/');
  const { program, comments, module, errors } = parseSync(absolute, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const lineAt = lineFinder(text);
  const lines = text.trimEnd().split('\n').length;
  const imports = [
    ...module.staticImports.map(({ moduleRequest, entries }) => {
      const typeOnly = entries.length > 0 && entries.every(({ isType }) => isType);
      return { specifier: moduleRequest.value, typeOnly, names: entries.flatMap(nameIn) };
    }),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => {
        const { moduleRequest, isType: typeOnly } = entry;
        return moduleRequest === null ? [] : [{ specifier: moduleRequest.value, typeOnly, names: nameIn(entry) }];
      }),
    ),
    ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const quoted = /^(['"])(.*)\1$/s.exec(text.slice(start, end))?.[2];
      return quoted === undefined ? [] : [{ specifier: quoted, typeOnly: false, names: [] }];
    }),
  ].map((fact) => ({ ...fact, file: importedFile(root, absolute, fact.specifier) }));
  const exports = readExports(program, comments, text, lineAt);
  return { path, text, lines, imports, exports, ...collectFacts(program, lineAt) };
}

const nameIn = ({ importName: { name } }: { readonly importName: { readonly name: string | null } }): string[] =>
  name === null ? [] : [name];

function importedFile(root: string, from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return relative(root, resolve(dirname(from), specifier))
    .replaceAll('\\', '/')
    .replace(/\.js$/, '.ts');
}

type LineAt = (offset: number) => number;

function lineFinder(text: string): LineAt {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

function readExports(program: Node, comments: readonly Comment[], text: string, lineAt: LineAt): ExportFact[] {
  const body = 'body' in program && Array.isArray(program.body) ? (program.body as Node[]) : [];
  return body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return [];
    const documented = comments.some(
      ({ type, end }) => type === 'Block' && end <= statement.start && text.slice(end, statement.start).trim() === '',
    );
    const line = lineAt(statement.start);
    return declaredNames(statement.declaration).map((fact) => ({ ...fact, documented, line }));
  });
}

function declaredNames(node: Node): Pick<ExportFact, 'name' | 'kind'>[] {
  switch (node.type) {
    case 'ClassDeclaration':
      return [{ name: node.id?.name ?? '', kind: 'class' }];
    case 'TSInterfaceDeclaration':
      return [{ name: node.id.name, kind: 'interface' }];
    case 'TSTypeAliasDeclaration':
      return [{ name: node.id.name, kind: 'type' }];
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return [{ name: node.id?.name ?? '', kind: 'function' }];
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id, init }) =>
        id.type === 'Identifier'
          ? [{ name: id.name, kind: init !== null && isFunction(init) ? ('function' as const) : ('value' as const) }]
          : [],
      );
    default:
      return [];
  }
}

const isFunction = (node: Node): boolean =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';

function collectFacts(program: Node, lineAt: LineAt): Pick<SourceFile, 'functions' | 'literalSpreads'> {
  const functions: FunctionFact[] = [];
  let literalSpreads = 0;
  walk(program, (node, parent) => {
    if (isFunction(node)) functions.push(functionFact(node, parent, lineAt));
    if (node.type === 'SpreadElement' && node.argument.type === 'ObjectExpression') literalSpreads += 1;
  });
  return { functions, literalSpreads };
}

function functionFact(node: Node, parent: Node | null, lineAt: LineAt): FunctionFact {
  const line = lineAt(node.start);
  let inLiterals = 0;
  walk(node, (inner) => {
    if (inner.type !== 'ObjectExpression') return true;
    inLiterals += lineAt(inner.end) - lineAt(inner.start);
    // Nested literals are counted with this one.
    return false;
  });
  return { name: functionName(node, parent), line, lines: lineAt(node.end) - line + 1 - inLiterals };
}

function functionName(node: Node, parent: Node | null): string {
  if ('id' in node && node.id !== null && typeof node.id === 'object' && 'name' in node.id) return String(node.id.name);
  if (parent === null) return '';
  if (parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  if ((parent.type === 'MethodDefinition' || parent.type === 'Property') && parent.key.type === 'Identifier')
    return parent.key.name;
  return '';
}
