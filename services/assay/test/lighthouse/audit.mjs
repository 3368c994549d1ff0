// Audits the main pages of the web app with Lighthouse in its default mobile profile: a phone with a slow processor and slow
// 4G. The arguments are the address of a server without authentication, the path of Chromium, and the number of runs; the
// median of the runs counts, as the score of the performance depends on other load of the machine: the profile divides the
// speed of the processor by four, which makes a phone of one whose index is about 1,500. The library is filled first. Prints
// the scores and the index of the processor as a table in Markdown, and what costs points. Exits with 1 if a score is below 95.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";

const [server, chromium, runs = "3"] = process.argv.slice(2);
const required = 95, owner = "lighthouse", categories = ["performance", "accessibility", "best-practices"];

async function send(method, path, body, headers = {}) {
  const response = await fetch(server + path, { method, body, headers: { "X-Owner-Id": owner, ...headers } });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Uploads a file as a form, waits until it is processed, and returns its id. */
async function add(to, read, name, content) {
  const form = new FormData();
  form.append("file", new File([content], name));
  const made = await send("POST", to, form), id = made.fileId ?? made.id;
  await send("GET", `${read}/${id}?wait=30s`);
  return id;
}

const words = ["harbor", "lamp", "water", "sail", "wind", "keeper", "light", "town", "boat", "roof"];
const sentence = (n) => Array.from({ length: 12 }, (_, i) => words[(n + i * i) % words.length]).join(" ") + ".\n";

const text = (n) => `The annual report ${n}.\n` + sentence(n).repeat(20);

/** Fills the areas of the owner, and returns the pages to audit. */
async function fill() {
  const files = "/v1/files", library = "/v1/library/files", nodes = "/v1/library/nodes";
  for (let i = 0; i < 60; i++) await add(files, files, `notes-${i}.txt`, text(i));
  for (let i = 0; i < 40; i++) await add(library, nodes, `report-${i}.txt`, text(i));
  const rows = Array.from({ length: 500 }, (_, i) => `sample ${i},${i % 7},${(i * 37) % 101}\n`);
  const table = await add(library, nodes, "results.csv", "name,group,value\n" + rows.join(""));
  for (let left = 60; (await send("GET", "/v1/library/search?q=annual")).total < 20; left--) {
    if (left === 0) throw new Error("the files cannot be found");
    await new Promise((done) => setTimeout(done, 1000));
  }
  return [["home", "/"], ["files", "/files"], ["library", "/library"], ["file", `/library/${table}`], ["search", "/search?q=annual"]];
}

/** Audits a page in a new browser, which has no cache. */
async function audit(path, tries = 3) {
  const profile = await mkdtemp(join(tmpdir(), "lighthouse-"));
  const browser = await puppeteer.launch({
    executablePath: chromium, userDataDir: profile, args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-component-update"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(server + "/ui/icon.svg"); // the origin, without the app
    await page.evaluate((id) => localStorage.setItem("assay-owner", id), owner);
    const { lhr } = await lighthouse(server + path, { disableStorageReset: true, onlyCategories: categories, logLevel: "error" }, undefined, page);
    if (!lhr.runtimeError) return lhr;
    if (tries === 1) throw new Error(`${path}: ${lhr.runtimeError.message}`);
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
  return audit(path, tries - 1); // a busy machine can lose the trace
}

const score = (report, category) => Math.round(report.categories[category].score * 100);

/** Describes the audits that cost points. */
function losses(report) {
  return categories.flatMap((category) => report.categories[category].auditRefs
    .filter(({ id, weight }) => weight > 0 && report.audits[id].score !== null && report.audits[id].score < 0.9)
    .map(({ id }) => {
      const { title, displayValue = "", score, details } = report.audits[id];
      const where = (details?.items ?? []).slice(0, 3).map((item) => item.node?.snippet ?? item.description ?? item.url ?? "").filter(Boolean);
      return `  ${category}: ${title} ${displayValue} (${score})${where.map((text) => `\n    ${text.slice(0, 200)}`).join("")}`;
    }));
}

const pages = await fill();
let failed = false;
console.log("| page | performance | accessibility | best practices | first paint | largest paint | blocked | processor |\n|---|---|---|---|---|---|---|---|");
for (const [name, path] of pages) {
  const reports = [];
  for (let i = 0; i < Number(runs); i++) reports.push(await audit(path));
  reports.sort((a, b) => a.categories.performance.score - b.categories.performance.score);
  const median = reports[Math.floor(reports.length / 2)];
  const shown = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time"].map((id) => median.audits[id].displayValue);
  shown.push(Math.round(median.environment.benchmarkIndex));
  console.log(`| ${[name, ...categories.map((category) => score(median, category)), ...shown].join(" | ")} |`);
  if (categories.some((category) => score(median, category) < required)) {
    failed = true;
    console.log(losses(median).join("\n"));
  }
}
if (failed) {
  console.log(`a score is below ${required}`);
  process.exit(1);
}
