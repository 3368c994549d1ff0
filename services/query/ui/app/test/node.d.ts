// The parts of Node.js that the tests use. The types of all of it would also apply to the app, which runs in browsers.
declare module "node:test" {
  export function test(name: string, run: () => void | Promise<void>): Promise<void>;
  export function afterEach(run: () => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  interface Assert {
    ok(value: unknown, message?: string): asserts value;
    equal(got: unknown, want: unknown, message?: string): void;
    deepEqual(got: unknown, want: unknown, message?: string): void;
  }
  const assert: Assert;
  export default assert;
}

declare module "node:fs" {
  export function readdirSync(folder: string, options: { withFileTypes: true }): { name: string; isDirectory(): boolean }[];
  export function readFileSync(path: string, encoding: "utf8"): string;
}

declare module "node:path" {
  export const posix: { join(...parts: string[]): string; dirname(path: string): string };
}

declare function setImmediate(run: () => void): void;
