import { click, FakeLink, focus, runFrame, scrollByUser, scrolled } from "./test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { match, navigate, path, query, type Route, setQuery, start } from "./router.js";

const routeOf = (at: string): Route => ({ path: at, title: at, load: () => Promise.reject(new Error("not loaded")) });
const routes = ["/", "/files", "/files/new", "/files/:id", "/files/:id/parts/:part"].map(routeOf);

start((at) => match(routes, at) !== undefined);

/** What the page shows. */
const shown = (): string => path.value + (query.value.size > 0 ? `?${query.value.toString()}` : "");

test("a path matches the first route with its parts and parameters", () => {
  for (const [at, want, params] of [
    ["/", "/", {}],
    ["/files", "/files", {}],
    ["/files/", "/files", {}],
    ["/files/new", "/files/new", {}],
    ["/files/7", "/files/:id", { id: "7" }],
    ["/files/a%20b%2Fc", "/files/:id", { id: "a b/c" }],
    ["/files/7/parts/2", "/files/:id/parts/:part", { id: "7", part: "2" }],
  ] as const) {
    const found = match(routes, at);
    assert.deepEqual([found?.route.path, found?.params], [want, params], at);
  }
});

test("a path without a route matches none", () => {
  for (const at of ["/other", "/files/7/parts", "/files/7/parts/", "/files//parts/2", "/files/%E0%A4%A", "/Files", ""]) {
    assert.equal(match(routes, at), undefined, at);
  }
});

test("navigation changes the path and the query, and scrolls to the top of another page", () => {
  navigate("/files?status=done");
  assert.equal(shown(), "/files?status=done");
  const times = scrolled.times;
  navigate("/files/7");
  assert.equal(shown(), "/files/7");
  assert.equal(scrolled.times, times + 1);
  navigate("/files/7?tab=steps");
  assert.equal(shown(), "/files/7?tab=steps");
  assert.equal(scrolled.times, times + 1, "the page is the same");
});

test("a parameter changes without others, and without another entry of the history", () => {
  navigate("/files?status=done&name=a");
  const { length } = history;
  setQuery({ name: "b & c" });
  assert.equal(query.value.get("name"), "b & c");
  assert.equal(query.value.get("status"), "done");
  setQuery({ status: "", other: "" });
  assert.equal(shown(), "/files?name=b+%26+c");
  setQuery({ name: "" });
  assert.equal(shown(), "/files");
  assert.equal(location.search, "");
  assert.equal(history.length, length);
});

test("back and forward show the former addresses", () => {
  navigate("/files?status=done");
  navigate("/files/7");
  navigate("/files/8", { replace: true });
  history.back();
  assert.equal(shown(), "/files?status=done");
  history.forward();
  assert.equal(shown(), "/files/8");
});

test("back and forward restore the place of the page when its content is there", () => {
  scrolled.height = 1000;
  navigate("/files");
  scrollByUser(400);
  navigate("/files/7");
  assert.equal(scrollY, 0);
  scrollByUser(50);
  scrolled.height = 200; // the list loads
  history.back();
  runFrame();
  assert.equal(scrollY, 100, "as far as possible");
  scrolled.height = 1000;
  runFrame();
  assert.equal(scrollY, 400);
  history.forward();
  runFrame();
  assert.equal(scrollY, 50);
});

test("a user who scrolls while a page loads is not moved", () => {
  scrolled.height = 1000;
  navigate("/files");
  scrollByUser(400);
  navigate("/files/7");
  scrolled.height = 200;
  history.back();
  runFrame();
  scrollByUser(20);
  scrolled.height = 1000;
  runFrame();
  assert.equal(scrollY, 20);
});

test("only what has changed is announced", () => {
  navigate("/files?status=done");
  const before = query.value, seen: string[] = [];
  const leave = path.subscribe((at) => { seen.push(at); });
  navigate("/files/7?status=done");
  assert.equal(query.value, before);
  setQuery({ status: "failed" });
  leave();
  assert.deepEqual(seen, ["/files", "/files/7"]);
});

test("a click on a link of the app navigates without a reload", () => {
  navigate("/");
  assert.equal(click(new FakeLink("/files/7?tab=steps")), false);
  assert.equal(shown(), "/files/7?tab=steps");
});

test("other clicks are left to the browser", () => {
  navigate("/");
  const link = new FakeLink("/files"), blank = Object.assign(new FakeLink("/files"), { target: "_blank" });
  assert.equal(click(link, { ctrlKey: true }), true);
  assert.equal(click(link, { metaKey: true }), true);
  assert.equal(click(link, { button: 1 }), true);
  assert.equal(click(blank), true);
  assert.equal(click(new FakeLink("/files", true)), true, "a download");
  assert.equal(click(new FakeLink("https://other.example/files")), true, "another origin");
  assert.equal(click(new FakeLink("/docs")), true, "a page that is not of the app");
  assert.equal(shown(), "/");
});

test("a link to a part of the page moves the focus", () => {
  navigate("/files");
  assert.equal(click(new FakeLink("/files#title")), false);
  assert.equal(focus.at, "title");
  assert.equal(shown(), "/files");
});
